"""Asks with the client that the OpenAPI generator made, and prints what it saw as JSON."""

import json
import sys

import fs_sidecar_client as sidecar


def ask(base_url, token):
    configuration = sidecar.Configuration(host=base_url)
    configuration.access_token = token
    client = sidecar.ApiClient(configuration)
    operations = sidecar.OperationsApi(client)
    skills = sidecar.SkillsApi(client)

    listed = operations.ls()
    found = operations.find("MAIN.*")
    globbed = operations.glob("src/**/*.py")
    hits = operations.grep("^def ", is_regex=True, include_glob=["*.py", "*.js"])
    read = operations.read(path="src/main.py", start_line=3, end_line=3)
    executed = skills.execute({"action": "find_file", "properties": [{"name": "pattern", "value": "main.*"}]})
    # Without being read first: the lines are there as they come.
    stream = operations.grep_stream("def ", sort="path", _preload_content=False)
    lines = [json.loads(line) for line in stream]
    return {
        "ls": [{"path": entry.path, "size": entry.size} for entry in listed.entries],
        "find": [entry.path for entry in found.matches],
        "glob": [entry.path for entry in globbed.matches],
        "grep": [{"path": match.path, "line": match.line, "text": match.text} for match in hits.matches],
        "read": {"content": read.content, "total_lines": read.total_lines},
        "execute": {"content": executed.content, "count": executed.result["count"]},
        "stream": {
            "types": [line["type"] for line in lines],
            "paths": [line["data"]["path"] for line in lines if line["type"] == "match"],
        },
        "error": error_of(lambda: operations.read(path="src/mian.py")),
    }


def error_of(call):
    try:
        call()
    except sidecar.ApiException as error:
        problem = json.loads(error.body)
        return {"status": error.status, "code": problem["code"], "suggestions": problem["suggestions"]}
    raise AssertionError("no error")


print(json.dumps(ask(sys.argv[1], sys.argv[2])))
