#!/usr/bin/env python3
"""An agent runner in small: hands what a model writes to the service, and what
the service says back to the model. The model here reads its turns from a file;
a real one is any function that takes the messages and the tools and returns the
next message. Standard library only, Python 3.9 or newer.

    python3 examples/runner.py examples/turns.json
"""

import json
import os
import re
import sys
import time
import urllib.error
import urllib.request

MAX_TURNS = 20
# How many pieces of one file are read without asking the model.
MAX_PIECES = 10
MAX_TRIES = 4
PAYLOAD = re.compile(r"""["']action["']\s*:""")


def converse(service, model, task):
    """Lets the model work at a task until it says something that is no action; gives the whole conversation."""
    messages = [{"role": "user", "content": task}]
    tools = service.tools()
    for _ in range(MAX_TURNS):
        said = model(messages, tools)
        messages.append(said)
        if said.get("tool_calls"):
            for call in said["tool_calls"]:
                content, _ = service.execute(json.dumps(call))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        elif said["content"] and PAYLOAD.search(said["content"]):
            content, goes_on = service.execute(said["content"])
            messages.append({"role": "user", "content": content})
            if not goes_on:
                return messages
        else:
            return messages
    return messages


class Service:
    """The service, as a runner sees it."""

    def __init__(self, address, token=None):
        self._address = address
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def tools(self):
        """The actions, to be given to a model."""
        request = urllib.request.Request(f"{self._address}/skills", headers=self._headers)
        with urllib.request.urlopen(request) as response:
            return [skill["tools"]["openai"] for skill in json.load(response)["skills"]]

    def execute(self, body):
        """Runs what a model wrote, as it is; gives what the model is told, and whether it has the next turn.

        A failure is for the model to read and mend.
        """
        reply = self._send(body)
        if "code" in reply:
            return in_words(reply), True
        content = self._read_on(reply)
        return "\n\n".join(part for part in (reply["prompt"], content) if part), reply["sequential"]

    def _read_on(self, reply):
        """Reads on where the server's own limit cut a file; what the model limited, it goes on with itself."""
        text = ""
        for _ in range(MAX_PIECES - 1):
            payload, result = reply["payload"], reply["result"]
            if result.get("truncated_by") != "limit" or "next" not in result:
                break
            text += result["content"]
            more = self._send(json.dumps({"action": payload["operation"], "input": {**payload["input"], **result["next"]}}))
            if "code" in more:
                return f"{text}\n[{in_words(more)}]"
            reply = more
        return text + reply["content"]

    def _send(self, body):
        """Sends a body; comes back later while the service is busy."""
        for tries in range(1, MAX_TRIES + 1):
            request = urllib.request.Request(f"{self._address}/execute", data=body.encode(), headers=self._headers)
            try:
                with urllib.request.urlopen(request) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                if error.code != 503 or tries == MAX_TRIES:
                    return json.load(error)
                time.sleep(int(error.headers.get("Retry-After", "1")))


def in_words(problem):
    suggestions = problem.get("suggestions")
    return f"{problem['code']}: {problem['detail']}" + (f" Did you mean {', '.join(suggestions)}?" if suggestions else "")


def scripted(turns):
    """A model that has written its turns beforehand. It may call only what it was offered."""
    left = iter(turns)

    def model(_messages, tools):
        turn = next(left)
        offered = {tool["function"]["name"] for tool in tools}
        for call in turn.get("tool_calls", []):
            if call["function"]["name"] not in offered:
                raise LookupError(f"no tool is called {call['function']['name']}")
        return turn

    return model


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "examples/turns.json", encoding="utf-8") as script:
        written = json.load(script)
    place = Service(os.environ.get("FS_URL", "http://127.0.0.1:8080"), os.environ.get("FS_TOKEN"))
    for message in converse(place, scripted(written), "Where is main, and is it tested?"):
        print(json.dumps(message))
