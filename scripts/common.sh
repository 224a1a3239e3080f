# For the other scripts, to be sourced: say, install_packages, install_test_packages, build, takes, make_libraries.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

# install_packages [LIST [COMPILER]]: installs what scripts/packages.txt, or another list, names, and a compiler if there is
# none; of a list's compilers only COMPILER. Asks for nothing where all is there.
install_packages() {
  list=${1:-scripts/packages.txt}
  command -v dpkg-query >/dev/null || { echo "This is not Debian; $list says what is needed."; return; }
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

# install_test_packages: what tests need besides, and build/test-venv, the Python that tests/CMakeLists.txt takes where it
# is there. Without a network tests that need its packages are skipped; in continuous integration that is an error.
install_test_packages() {
  install_packages scripts/packages-test.txt
  venv=build/test-venv
  if [ ! "$venv/done" -nt scripts/requirements-test.txt ]; then
    say "installing Python packages for tests in $venv"
    if python3 -m venv "$venv" && "$venv/bin/pip" install -q -r scripts/requirements-test.txt; then
      touch "$venv/done"
    else
      rm -rf "$venv"
      echo "These packages could not be installed; tests that need them are skipped."
      [ -z "${CI:-}" ] || exit 1
    fi
  fi
}

# build PRESET [target]
build() {
  say "building ($1)"
  log=$(mktemp)
  cmake --preset "$1" >"$log" 2>&1 || { cat "$log"; rm -f "$log"; exit 1; }
  rm -f "$log"
  cmake --build --preset "$1" --parallel "$jobs" ${2:+--target "$2"}
}

# takes SECONDS FOLDER: says beforehand how long it takes, so many CPU seconds where FOLDER was not built yet.
takes() {
  if [ -d "$2" ]; then return; fi
  say "this takes $(($1 / jobs / 60 + 1)) to $(($1 * 2 / jobs / 60 + 1)) minutes on $jobs cores, most of it compiling; only the first time"
}

# make_libraries PREFIX "NAMES" CMAKE-ARGUMENTS…: of zlib, libzip, re2 and fmtlib those that Debian has not for this target or
# standard library, from Debian's sources. $arch: the target of zlib, which has no use for CMake's arguments.
make_libraries() {
  prefix=$1 names=$2
  shift 2
  [ ! -e "$prefix/done" ] || return 0
  say "from Debian's sources: $names"
  mkdir -p "$prefix/apt/lists/partial" "$prefix/src" "$prefix/lib/pkgconfig"
  . /etc/os-release
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main" \
    >"$prefix/apt/sources.list"
  here=$PWD
  cd "$prefix/src"
  apt="apt-get -q -o Dir::Etc::sourcelist=$prefix/apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$prefix/apt/lists"
  $apt update
  $apt source --download-only $names
  for name in $names; do
    rm -rf "$name"
    dpkg-source --no-check -x "${name}"_*.dsc "$name"
    if [ "$name" = zlib ]; then  # Debian's source lacks files that zlib's CMakeLists.txt names
      (cd zlib && CHOST=$arch-linux-gnu ./configure --static --prefix="$prefix" && make -s -j "$jobs" install libz.a)
      continue
    fi
    if [ "$name" = re2 ]; then  # Debian makes these anew, from its package unicode-data
      make -s -C re2 REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc
    fi
    cmake -S "$name" -B "$name/build" -G Ninja "$@" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
      -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=OFF \
      -DFMT_TEST=OFF -DFMT_DOC=OFF -DRE2_BUILD_TESTING=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF \
      -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF
    cmake --build "$name/build" --parallel "$jobs"
    cmake --install "$name/build"
    [ "$name" != re2 ] || sed "s,@includedir@,$prefix/include,;s,@libdir@,$prefix/lib," re2/re2.pc >"$prefix/lib/pkgconfig/re2.pc"
  done
  cd "$here"
  touch "$prefix/done"
}
