#!/bin/sh -eu
# OSS-Fuzz's: $CC, $CXX, $CFLAGS, $CXXFLAGS and $LIB_FUZZING_ENGINE are set; targets, dictionaries and seeds go to $OUT.
build=$WORK/hloir
cmake -S "$SRC/hloir" -B "$build" -G Ninja -DHLOIR_FUZZ=ON -DHLOIR_DEVELOPER=OFF -DHLOIR_BUILD_TOOLS=ON \
  -DHLOIR_SHARED=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo
ninja -C "$build" fuzzers
cd "$build/tests/fuzz"
for target in text stablehlo proto npz passes execution; do
  cp "${target}_fuzzer" "$OUT/"
  case $target in
  passes | execution) seeds=text ;;
  *) seeds=$target ;;
  esac
  zip -qr "$OUT/${target}_fuzzer_seed_corpus.zip" -j "seeds/$seeds"
  [ "$seeds" = text ] && cp hlo.dict "$OUT/${target}_fuzzer.dict"
done
