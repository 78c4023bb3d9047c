// Asks with the client that the OpenAPI generator made, and prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strings"

	sidecar "github.com/fs-sidecar/client"

	"github.com/antihax/optional"
)

type object = map[string]interface{}

func main() {
	configuration := sidecar.NewConfiguration()
	configuration.BasePath = os.Args[1]
	client := sidecar.NewAPIClient(configuration)
	authorized := context.WithValue(context.Background(), sidecar.ContextAccessToken, os.Args[2])
	answers := object{}
	askForLists(authorized, client, answers)
	askForText(authorized, client, answers)
	askForOthers(authorized, client, answers)
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

func askForLists(authorized context.Context, client *sidecar.APIClient, answers object) {
	listed, _, err := client.OperationsApi.Ls(authorized, nil)
	must(err)
	entries := []object{}
	for _, entry := range listed.Entries {
		entries = append(entries, object{"path": entry.Path, "size": entry.Size})
	}
	answers["ls"] = entries

	found, _, err := client.OperationsApi.Find(authorized, "MAIN.*", nil)
	must(err)
	answers["find"] = pathsOf(found.Matches)

	globbed, _, err := client.OperationsApi.Glob(authorized, "src/**/*.py", nil)
	must(err)
	answers["glob"] = pathsOf(globbed.Matches)
}

func askForText(authorized context.Context, client *sidecar.APIClient, answers object) {
	hits, _, err := client.OperationsApi.Grep(authorized, "^def ", &sidecar.GrepOpts{
		IsRegex:     optional.NewBool(true),
		IncludeGlob: optional.NewInterface([]string{"*.py", "*.js"}),
	})
	must(err)
	matches := []object{}
	for _, match := range hits.Matches {
		matches = append(matches, object{"path": match.Path, "line": match.Line, "text": match.Text})
	}
	answers["grep"] = matches

	read, _, err := client.OperationsApi.Read(authorized, &sidecar.ReadOpts{
		Path:      optional.NewString("src/main.py"),
		StartLine: optional.NewInt64(3),
		EndLine:   optional.NewInt64(3),
	})
	must(err)
	answers["read"] = object{"content": read.Content, "total_lines": read.TotalLines}
}

func askForOthers(authorized context.Context, client *sidecar.APIClient, answers object) {
	executed, _, err := client.SkillsApi.Execute(authorized, object{
		"action":     "find_file",
		"properties": []object{{"name": "pattern", "value": "main.*"}},
	})
	must(err)
	answers["execute"] = object{"content": executed.Content, "count": executed.Result["count"]}

	stream, _, err := client.OperationsApi.GrepStream(authorized, "def ", &sidecar.GrepStreamOpts{
		Sort: optional.NewString("path"),
	})
	must(err)
	answers["stream"] = toStreamAnswer(stream)

	_, _, err = client.OperationsApi.Read(authorized, &sidecar.ReadOpts{
		Path: optional.NewString("src/mian.py"),
	})
	// This generator's clients read no application/problem+json by themselves.
	problem := sidecar.ErrorResponse{}
	must(json.Unmarshal(err.(sidecar.GenericOpenAPIError).Body(), &problem))
	answers["error"] = object{"status": problem.Status, "code": problem.Code, "suggestions": problem.Suggestions}
}

func pathsOf(entries []sidecar.Entry) []string {
	paths := []string{}
	for _, entry := range entries {
		paths = append(paths, entry.Path)
	}
	return paths
}

func toStreamAnswer(body string) object {
	types, paths := []string{}, []string{}
	for _, text := range strings.Split(strings.TrimSpace(body), "\n") {
		var line struct {
			Type string
			Data struct{ Path string }
		}
		must(json.Unmarshal([]byte(text), &line))
		types = append(types, line.Type)
		if line.Type == "match" {
			paths = append(paths, line.Data.Path)
		}
	}
	return object{"types": types, "paths": paths}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
