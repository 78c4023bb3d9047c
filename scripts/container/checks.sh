# shellcheck shell=bash disable=SC2154,SC2034
# What is checked of one image; sourced by container-test.sh, which sets `image`, `kind`, `version`, `workspaces` and
# `health`, the image's HEALTHCHECK command, and reads `ready_after`, `worked_at_start`, `memory`, `ended_after` and
# `landlock`. A check is a function that returns 0 when it holds, and otherwise prints what it saw.

token=a-token-of-the-test
credentials=(--header "authorization: Bearer $token")
user=4321:4321
# Every operation, with a query that the workspace below answers and a piece of the answer.
operations=(
  'ls|path=/|"/a.txt"'
  'find|pattern=*.txt|"/a.txt"'
  'glob|pattern=**/*.txt|"/sub/b.txt"'
  'grep|pattern=n[e]%2Bdle&isRegex=true|"a needle"'
  'read|path=a.txt|a needle'
)
hardened=(--read-only --read-only-tmpfs=false --cap-drop ALL --security-opt no-new-privileges
  --pids-limit 128 --memory 512m --network none --no-healthcheck)

plant() { # FOLDER
  mkdir -p "$1/sub"
  echo 'a needle' >"$1/a.txt"
  echo 'b' >"$1/sub/b.txt"
  echo 'SECRET=1' >"$1/.env"
  chmod -R a+rX "$1"
}

fields() { # JAVASCRIPT, with `it` for the image's description
  podman image inspect "$image" | node -e '
    const [it] = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const line of [eval(process.argv[1])].flat()) console.log(line);' "$1"
}

# Starts a container over the workspace and waits until it answers; sets `pid`, and in milliseconds `waited` and `worked`,
# the processor time of all of its threads.
launch() { # NAME WORKSPACE OPTIONS
  local name=$1 workspace=$2 began
  shift 2
  podman create --name "$name" --user "$user" --env FS_TOKEN="$token" --volume "$workspace:/workspace:ro" \
    "${hardened[@]}" "$@" "$image" >/dev/null
  began=$(date +%s%N)
  podman start "$name" >/dev/null
  pid=$(podman inspect --format '{{.State.Pid}}' "$name")
  for _ in $(seq 400); do
    [[ $(status /readyz) != 000 ]] && break
    [[ -d /proc/$pid ]] || break
    sleep 0.02
  done
  waited=$((($(date +%s%N) - began) / 1000000))
  worked=$(awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) * 1000 / ticks }' "/proc/$pid/stat" 2>/dev/null || true)
  [[ $(status /readyz) != 000 ]] || { podman logs "$name" 2>&1 | tail -5 && return 1; }
}

# The container has no network but its own loopback, which is entered for the question.
ask() { # PATH CURL-OPTIONS
  nsenter --target "$pid" --net curl --globoff --silent --show-error --max-time 10 "${credentials[@]}" \
    "http://127.0.0.1:8080$1" "${@:2}"
}

status() { # PATH CURL-OPTIONS
  ask "$1" --output /dev/null --write-out '%{http_code}' "${@:2}" 2>/dev/null || true
}

answers() { # PATH PIECE CURL-OPTIONS
  local body
  body=$(ask "$1" --fail-with-body "${@:3}") && [[ $body == *"$2"* ]] && return
  echo "$1 answered ${body:0:300}"
  return 1
}

starts() {
  local times=() turn
  for turn in {1..4}; do
    launch "$kind-$turn" "$workspaces/open" || return 1
    times+=("$waited")
    podman rm --force --time 0 "$kind-$turn" >/dev/null
  done
  launch "$kind-main" "$workspaces/open" || return 1
  worked_at_start=$worked
  ready_after=$(printf '%s\n' "${times[@]}" "$waited" | sort -n | sed -n 3p)
}

is_ready() {
  answers /readyz '"status":"ready","containment":"strict"'
}

tells_landlock() {
  local ready logged
  ready=$(ask /readyz | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).landlock')
  logged=$(podman logs "$kind-main" | sed -n 's/.*containment: strict, landlock: \([^"]*\)".*/\1/p')
  landlock=$ready
  [[ -n $ready && $ready == "$logged" ]] && return
  echo "/readyz tells '$ready', the log '$logged'"
  return 1
}

operations_answer() {
  local entry name query piece
  for entry in "${operations[@]}"; do
    IFS='|' read -r name query piece <<<"$entry"
    answers "/$name?$query" "$piece" && answers "/$name/stream?$query" '{"type":"end"' || return 1
  done
  answers '/read/raw?path=a.txt' 'a needle' &&
    answers /execute '"status":"ok"' --data '{"action":"fs_search","mode":"glob","pattern":"*.txt"}'
}

operations_are_all() {
  local known described
  known=$(printf '%s\n' "${operations[@]%%|*}" | sort)
  described=$(ask /openapi.json | grep -o '"/[a-z]*/stream"' | cut -d/ -f2 | sort)
  [[ $known == "$described" ]] && return
  echo "the document describes $(xargs <<<"$described")"
  return 1
}

service_routes_answer() {
  answers /healthz ok && answers /metrics fs_sidecar && answers /skills find_file && answers /docs/ swagger-ui &&
    answers /mcp '"tools"' --header 'content-type: application/json' --header 'accept: application/json, text/event-stream' \
      --data '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
}

policy_holds() {
  [[ $(status '/read?path=.env') == 403 && $(ask /ls) != *.env* ]]
}

token_is_wanted() {
  local credentials=()
  [[ $(status /ls) == 401 && $(status /skills) == 401 && $(status /readyz) == 200 ]]
}

holds_no_privilege() {
  local state
  state=$(sed -n 's/^\(Uid\|CapEff\|CapBnd\|NoNewPrivs\):\t\([0-9a-f]*\).*/\1=\2/p' "/proc/$pid/status" | xargs)
  [[ $state == 'Uid=4321 CapEff=0000000000000000 CapBnd=0000000000000000 NoNewPrivs=1' ]] || { echo "$state" && return 1; }
}

writes_nothing() {
  podman exec "$kind-main" node -e '
    const { writeFileSync } = require("fs");
    const places = ["/x", "/app/x", "/app/dist/src/server.js", "/tmp/x", "/run/x", "/workspace/x", "/workspace/a.txt"];
    const written = places.filter((place) => { try { writeFileSync(place, "x"); return true; } catch { return false; } });
    if (written.length > 0) throw new Error(`written: ${written}`);'
}

health_command_works() {
  podman exec "$kind-main" "${health[@]}"
}

ends_at_sigterm() {
  local began code
  memory=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\)[0-9]\{3\} kB/\1/p' "/proc/$pid/status")
  began=$(date +%s%N)
  podman stop --time 10 "$kind-main" >/dev/null
  ended_after=$((($(date +%s%N) - began) / 1000000))
  code=$(podman inspect --format '{{.State.ExitCode}}' "$kind-main")
  [[ $code == 0 && $ended_after -lt 5000 ]] || { echo "exit status $code after $ended_after ms" && return 1; }
}

runs_without_landlock() {
  node -e '
    const profile = JSON.parse(require("fs").readFileSync("/usr/share/containers/seccomp.json", "utf8"));
    for (const rule of profile.syscalls) rule.names = rule.names.filter((name) => !name.startsWith("landlock_"));
    console.log(JSON.stringify(profile));' >"$workspaces/seccomp.json"
  launch "$kind-seccomp" "$workspaces/open" --security-opt "seccomp=$workspaces/seccomp.json" &&
    answers /readyz '"landlock":"off"' && operations_answer
}

tells_an_unreadable_workspace() {
  local warnings
  launch "$kind-unreadable" "$workspaces/closed" || return 1
  warnings=$(podman logs "$kind-unreadable" | grep -c 'not ready: the workspace cannot be read by uid 4321' || true)
  [[ $(status /readyz) == 503 && $(ask /readyz) == *'cannot be read by uid 4321 gid 4321: it belongs to 0:0 with mode 700"'* ]] &&
    [[ $warnings == 1 ]] && ! podman exec "$kind-unreadable" "${health[@]}" &&
    podman exec "$kind-unreadable" "${health[@]}" /livez && return
  ask /readyz
  podman logs "$kind-unreadable" | tail -3
  return 1
}

refuses_to_start_open_to_all() {
  local code=0 output
  output=$(podman run --rm "${hardened[@]}" --volume "$workspaces/open:/workspace:ro" "$image" 2>&1) || code=$?
  [[ $code == 2 && $output == *FS_TOKEN* && $(wc -l <<<"$output") == 1 ]] || { echo "$code $output" && return 1; }
}

takes_flags() {
  [[ $(podman run --rm "${hardened[@]}" "$image" --version) == "$version" ]]
}

is_described() {
  local seen
  seen=$(fields '[it.Config.User, it.Config.StopSignal, ...Object.keys(it.Config.ExposedPorts), it.Config.Entrypoint.at(-1),
    it.Labels["org.opencontainers.image.version"], it.Config.Env.filter((line) => /token|secret|password/i.test(line)).length]')
  [[ $(xargs <<<"$seen") =~ ^[1-9][0-9]*:[1-9][0-9]*\ SIGTERM\ 8080/tcp\ dist/src/server\.js\ $version\ 0$ ]] || { echo "$seen" && return 1; }
}

# Mounted, so that it is seen as it is, whoever is in it.
holds_what_it_needs() {
  local root found
  root=$(podman image mount "$image")
  found=$(
    find "$root/app" \( -not -user 0 -o -perm /022 -not -type l \) -print
    find "$root/app" -maxdepth 2 \( -name typescript -o -name vitest -o -name '*.lock' -o -name test -o -name scripts \) \
      -not -path "$root/app/dist/scripts" -print
    find "$root/app/dist/scripts" -type f -not -name 'healthcheck.js' -print
    [[ $kind == slim ]] || find "$root" -xdev \( -name sh -o -name bash -o -name dash -o -name busybox -o -name npm -o -name apt \) \
      -not -type d -print
  )
  podman image unmount "$image" >/dev/null
  [[ -z $found ]] || { echo "$found" | head -5 && return 1; }
}

has_no_shell() {
  [[ $kind == slim ]] || ! podman run --rm "${hardened[@]}" --entrypoint /bin/sh "$image" -c true 2>/dev/null
}
