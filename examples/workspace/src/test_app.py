from app import main


def test_main():
    assert main() is None
