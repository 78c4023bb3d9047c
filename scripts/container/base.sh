#!/usr/bin/env bash
# Makes a stand-in for a base image of the Dockerfile from Debian's packages and the npm registry's Node, under the
# base image's own name, for machines that reach no container registry. Called by container-test.sh.
#   usage: base.sh slim|distroless IMAGE
set -euo pipefail

kind=$1 image=$2
[[ $image =~ node(js|:)([0-9]+) ]] && major=${BASH_REMATCH[2]}
case $image in
  *bookworm* | *debian12*) suite=bookworm ;;
  *trixie* | *debian13*) suite=trixie ;;
  *) echo "base.sh: no Debian release is known for $image" >&2 && exit 1 ;;
esac
npm_version=$(npm --version)
paths=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
bundle=/etc/ssl/certs/ca-certificates.crt

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root

debian() { # VARIANT PACKAGES
  mmdebstrap --quiet --variant="$1" --include="$2" --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' "$suite" "$root"
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
}

# The registry's package holds the same program as the official image.
node_into() { # FOLDER
  npm install --silent --no-save --prefix "$folder/npm" "node-linux-$(node -p process.arch)@$major" "npm@$npm_version"
  install -D -m755 "$folder"/npm/node_modules/node-linux-*/bin/node "$1/node"
}

commit() { # BUILDAH-CONFIG-OPTIONS
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$root" / >/dev/null
  buildah config "$@" --label stand-in=true "$container"
  buildah commit --quiet --rm "$container" "$image" >/dev/null
}

slim() {
  debian minbase ca-certificates,libstdc++6
  node_into "$root/usr/local/bin"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
  cp -a "$folder/npm/node_modules/npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # A build behind a gateway trusts what this machine trusts.
  cp "$bundle" "$root$bundle"
  echo "cafile=$bundle" >"$root/usr/local/etc/npmrc"
  chroot "$root" useradd --uid 1000 --create-home node
  commit --env PATH="$paths" --cmd node
}

distroless() {
  debian extract base-files,netbase,tzdata,libc6,libgcc-s1,libgomp1,libstdc++6,libssl3
  rm -rf "${root:?}"/usr/{bin,sbin}/* "$root"/usr/share/perl5 "$root"/var/lib/dpkg
  node_into "$root/nodejs/bin"
  mkdir -p "$root/etc/ssl/certs" "$root/home/nonroot"
  cp "$bundle" "$root$bundle"
  echo 'root:x:0:0:root:/root:/sbin/nologin' >"$root/etc/passwd"
  echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >>"$root/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"
  chown 65532:65532 "$root/home/nonroot"
  commit --env PATH="$paths" --user 65532 --workingdir /home/nonroot --entrypoint '["/nodejs/bin/node"]'
}

"$kind"
