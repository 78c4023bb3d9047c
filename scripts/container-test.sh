#!/usr/bin/env bash
# Builds both images of the Dockerfile and runs each one hardened, with no container engine and no container registry:
# the base images are stand-ins from Debian's packages and the npm registry (scripts/container/base.sh). Prints a table,
# and leaves it with the bill of materials in .cache/container.
#   CONTAINER_REQUIRED=1   fails where it would be skipped
#   CONTAINER_BASES=pull   takes the real base images from their registries
#   CONTAINER_CLEAN=1      keeps no image in .cache/container for the next run
# Needs Linux and root, and installs what it misses where there is apt-get.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "container-test: SKIPPED: $*" >&2
  [[ ${CONTAINER_REQUIRED:-} != 1 ]] || exit 1
  exit 0
}

needed=(buildah podman runc mmdebstrap nsenter curl)
missing() { for tool in "${needed[@]}"; do command -v "$tool" >/dev/null || echo "$tool"; done; }
[[ $(uname) == Linux && $(id -u) == 0 ]] || skip 'it needs Linux and root'
if [[ -n $(missing) ]] && command -v apt-get >/dev/null; then
  packages=$(missing | sed 's/nsenter/util-linux/')
  # shellcheck disable=SC2086
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $packages; } \
    >/dev/null 2>&1 || true
fi
mapfile -t absent < <(missing)
[[ ${#absent[@]} == 0 ]] || skip "these tools are missing: ${absent[*]}"

# ---- a store of its own, so that nothing else on this machine is touched ---------------------------------------------
cache=$PWD/.cache/container
state=/run/fs-sidecar-container-test-$(cksum <<<"$PWD" | cut -d' ' -f1)
mkdir -p "$cache" "$state"
exec 9>"$cache/lock"
flock --timeout 600 9 || skip 'another run holds the store'
cat >"$cache/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$cache/store"
runroot = "$state/storage"
CONF
# The ulimits are what a process without CAP_SYS_RESOURCE may set.
cat >"$cache/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
tmp_dir = "$state/libpod"
CONF
export CONTAINERS_STORAGE_CONF=$cache/storage.conf CONTAINERS_CONF=$cache/containers.conf BUILDAH_ISOLATION=chroot

workspaces=$(mktemp -d)
chmod 755 "$workspaces"
clear_containers() {
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  podman image unmount --all --force >/dev/null 2>&1 || true
}
# The images stay, so that the next run is short.
clear_up() {
  clear_containers
  if [[ ${CONTAINER_CLEAN:-} == 1 ]]; then podman system reset --force >/dev/null 2>&1 || true; fi
  rm -rf "$workspaces" "$state"
}
trap clear_up EXIT
clear_containers

# ---- images ------------------------------------------------------------------------------------------------------------
kinds=(slim distroless)
declare -A target=([slim]=runtime [distroless]=distroless) argument=([slim]=NODE_IMAGE [distroless]=DISTROLESS_IMAGE) base=()
version=$(node -p 'require("./package.json").version')
for kind in "${kinds[@]}"; do
  base[$kind]=$(sed -n "s/^ARG ${argument[$kind]}=//p" Dockerfile)
  podman image exists "${base[$kind]}" && continue
  if [[ ${CONTAINER_BASES:-} == pull ]]; then podman pull --quiet "${base[$kind]}" >/dev/null
  else echo "making a stand-in for ${base[$kind]}" && scripts/container/base.sh "$kind" "${base[$kind]}"; fi
done
for kind in "${kinds[@]}"; do
  echo "building the target ${target[$kind]}"
  buildah build --quiet --format docker --pull-never --layers --target "${target[$kind]}" --build-arg VERSION="$version" \
    --tag "localhost/fs-sidecar:$kind" . >"$cache/build-$kind.log" 2>&1 || { tail -30 "$cache/build-$kind.log" && exit 1; }
done

# ---- checks ------------------------------------------------------------------------------------------------------------
# shellcheck source=scripts/container/checks.sh disable=SC2154
source scripts/container/checks.sh
plant "$workspaces/open"
plant "$workspaces/closed"
chmod 700 "$workspaces/closed"

checks=(
  'is_described|user, port, signal and version are told'
  'holds_what_it_needs|holds nothing but what it needs, owned by root'
  'has_no_shell|no shell (distroless)'
  'takes_flags|takes flags'
  'refuses_to_start_open_to_all|without a token: exit 2, one line'
  'starts|starts hardened, as another user'
  'is_ready|/readyz: ready, strict'
  'tells_landlock|tells the state of Landlock'
  'holds_no_privilege|no capability, no new privileges'
  'token_is_wanted|wants the token'
  'operations_are_all|the checked operations are all'
  'operations_answer|every operation, stream and skill'
  'service_routes_answer|metrics, skills, documents, MCP'
  'policy_holds|blocks what the policy names'
  'writes_nothing|cannot write'
  'health_command_works|the HEALTHCHECK command works'
  'ends_at_sigterm|SIGTERM: exit 0 within 5 s'
  'runs_without_landlock|works where Landlock is denied'
  'tells_an_unreadable_workspace|unreadable workspace: not ready, one line'
)
declare -A result=()
failed=0
landlock='' ready_after=0 worked_at_start=0 memory=0 ended_after=0
for kind in "${kinds[@]}"; do
  image=localhost/fs-sidecar:$kind
  mapfile -t health < <(fields 'it.Healthcheck.Test.slice(1)')
  for entry in "${checks[@]}"; do
    check=${entry%%|*}
    result[$kind $check]=ok
    "$check" >"$workspaces/output" 2>&1 && continue
    result[$kind $check]=FAILED
    failed=$((failed + 1))
    echo "FAILED, $kind: ${entry#*|}"
    sed 's/^/  /' "$workspaces/output"
  done
  size=$(podman image inspect --format '{{.Size}}' "$image")
  below=$(podman image inspect --format '{{.Size}}' "${base[$kind]}")
  result[$kind size]="$((size / 1000000)) MB"
  result[$kind added]="$(((size - below) / 1000000)) MB"
  result[$kind ready]="$ready_after ms"
  result[$kind worked]="$worked_at_start ms"
  result[$kind memory]="$memory MB"
  result[$kind ended]="$ended_after ms"
  result[$kind landlock]=$landlock
done

# ---- bill of materials: the npm packages; the base image has its own --------------------------------------------------
npm run --silent sbom >"$cache/sbom.cdx.json"
root=$(podman image mount localhost/fs-sidecar:slim)
unlisted=$(node -e '
  const [listed, installed] = process.argv.slice(1).map((path) => JSON.parse(require("fs").readFileSync(path, "utf8")));
  const known = new Set(listed.components.map((it) => `${it.group ? `${it.group}/` : ""}${it.name}@${it.version}`));
  const names = Object.entries(installed.packages).map(([path, it]) => `${path.split("node_modules/").at(-1)}@${it.version}`);
  console.log(names.filter((name) => !known.has(name)).join(" "));
' "$cache/sbom.cdx.json" "$root/app/node_modules/.package-lock.json")
[[ -z $unlisted ]] || { failed=$((failed + 1)) && echo "FAILED: not in the bill of materials: $unlisted"; }

# ---- the table ---------------------------------------------------------------------------------------------------------
row() { printf '| %-46s | %-10s | %-10s |\n' "$@"; }
{
  row '' "${kinds[@]}"
  row '---' '---' '---'
  row 'size' "${result[slim size]}" "${result[distroless size]}"
  row 'of that, above the base image' "${result[slim added]}" "${result[distroless added]}"
  row 'from start to ready, median of 5' "${result[slim ready]}" "${result[distroless ready]}"
  row 'processor time until then' "${result[slim worked]}" "${result[distroless worked]}"
  row 'memory after the checks' "${result[slim memory]}" "${result[distroless memory]}"
  row 'from SIGTERM to the end' "${result[slim ended]}" "${result[distroless ended]}"
  row 'Landlock' "${result[slim landlock]}" "${result[distroless landlock]}"
  for entry in "${checks[@]}"; do
    row "${entry#*|}" "${result[slim ${entry%%|*}]}" "${result[distroless ${entry%%|*}]}"
  done
} | tee "$cache/table.md"
echo "container-test: $((${#checks[@]} * ${#kinds[@]})) checks, $failed failed; $cache/sbom.cdx.json"
[[ $failed == 0 ]]
