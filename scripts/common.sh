# For the other scripts, to be sourced: say, install_packages, build.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

# install_packages [LIST [COMPILER]]: installs what scripts/packages.txt, or another list, names, and a compiler if there is
# none; of a list's compilers only COMPILER. Asks for nothing where all is there.
install_packages() {
  list=${1:-scripts/packages.txt}
  command -v dpkg-query >/dev/null || { echo "This is no Debian; $list says what is needed."; return; }
  missing=""
  for package in $(grep -vE '^#|^g\+\+-' "$list") ${2:-$(command -v c++ >/dev/null || echo g++)}; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
  done
  # A tool from elsewhere is as good as its package.
  for tool in cmake ninja:ninja-build ccache pkg-config; do
    if command -v "${tool%%:*}" >/dev/null; then missing=$(printf ' %s ' "$missing" | sed "s/ ${tool##*:} / /"); fi
  done
  [ -n "$(echo $missing)" ] || return 0
  say "installing:$missing"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -q
  # Packages that only some machines need must not ask questions.
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -q -y --no-install-recommends $missing </dev/null
}

# build PRESET [target]: folders' small files are compiled together, which is half the work from nothing.
build() {
  say "building ($1)"
  log=$(mktemp)
  cmake --preset "$1" -DHLOIR_UNITY=ON >"$log" 2>&1 || { cat "$log"; rm -f "$log"; exit 1; }
  rm -f "$log"
  cmake --build --preset "$1" --parallel "$jobs" ${2:+--target "$2"}
}

# takes SECONDS FOLDER: says beforehand how long it takes, so many CPU seconds where FOLDER was not built yet.
takes() {
  if [ -d "$2" ]; then return; fi
  say "this takes $(($1 / jobs / 60 + 1)) to $(($1 * 2 / jobs / 60 + 1)) minutes on $jobs cores, most of it compiling; only the first time"
}
