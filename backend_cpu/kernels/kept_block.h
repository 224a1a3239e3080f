// Registers in which links keep a second block: see chain_table.h. With AVX-512 there are 32 vectors; calls pass a
// block in eight of them, and these eight are taken from the compiler. Only g++ has variables in such registers. As a
// system header, because g++ warns that calls may change them: a link's last act is to go on to the next link, and none
// of those between the one that keeps a block and the one that reads it calls a function.
#pragma once
#pragma GCC system_header

#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#define HLOIR_KEEPS_BLOCK 1

namespace hloir::cpu {
namespace {

typedef float KeptVector __attribute__((vector_size(64)));
register KeptVector kept0 asm("xmm16");
register KeptVector kept1 asm("xmm17");
register KeptVector kept2 asm("xmm18");
register KeptVector kept3 asm("xmm19");
register KeptVector kept4 asm("xmm20");
register KeptVector kept5 asm("xmm21");
register KeptVector kept6 asm("xmm22");
register KeptVector kept7 asm("xmm23");

}  // namespace
}  // namespace hloir::cpu
#else
#define HLOIR_KEEPS_BLOCK 0
#endif
