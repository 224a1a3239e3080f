" HLO. Written by editors/generate from hloir's tables of opcodes and types.
if exists('b:current_syntax') | finish | endif
syntax case match
syntax match hloName /%\?[A-Za-z_][A-Za-z0-9_.-]*/
syntax match hloNumber /\%([A-Za-z0-9_.%]\)\@1<!-\?\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\>/
syntax match hloConstant /\%([A-Za-z0-9_.%-]\)\@1<!-\?\%(true\|false\|inf\|nan\)\%([A-Za-z0-9_.-]\)\@!/
syntax match hloAttribute /[A-Za-z_][A-Za-z0-9_-]*\ze=/
syntax match hloCalled /\%(\%(to_apply\|calls\|condition\|body\|true_computation\|false_computation\|branch_computations\|select\|scatter\|called_computations\)=\)\@40<=%\?[A-Za-z_][A-Za-z0-9_.-]*/
syntax match hloOpcode /\%([A-Za-z0-9_.%-]\)\@1<!\%(collective-permute-start\|rng-get-and-update-state\|collective-permute-done\|shift-right-arithmetic\|exponential-minus-one\|batch-norm-inference\|collective-broadcast\|dynamic-update-slice\|batch-norm-training\|count-leading-zeros\|shift-right-logical\|collective-permute\|get-dimension-size\|round-nearest-even\|select-and-scatter\|set-dimension-size\|stochastic-convert\|get-tuple-element\|ragged-all-to-all\|rng-bit-generator\|round-nearest-afz\|all-gather-start\|all-reduce-start\|reduce-precision\|triangular-solve\|all-gather-done\|all-reduce-done\|batch-norm-grad\|bitcast-convert\|dynamic-reshape\|add-dependency\|reduce-scatter\|dynamic-slice\|reduce-window\|async-update\|log-plus-one\|partition-id\|async-start\|concatenate\|conditional\|convolution\|custom-call\|exponential\|opt-barrier\|all-gather\|all-reduce\|all-to-all\|async-done\|copy-start\|ragged-dot\|replica-id\|scaled-dot\|shift-left\|after-all\|broadcast\|copy-done\|is-finite\|parameter\|recv-done\|remainder\|send-done\|transpose\|cholesky\|constant\|logistic\|multiply\|subtract\|bitcast\|compare\|complex\|convert\|maximum\|minimum\|outfeed\|reshape\|reverse\|scatter\|cosine\|divide\|domain\|fusion\|gather\|infeed\|negate\|popcnt\|reduce\|select\|acosh\|asinh\|atan2\|atanh\|clamp\|floor\|mulhi\|power\|rsqrt\|slice\|tuple\|while\|acos\|asin\|call\|cbrt\|ceil\|copy\|cosh\|imag\|iota\|real\|recv\|scan\|send\|sign\|sine\|sinh\|sort\|sqrt\|tanh\|topk\|abs\|add\|and\|dot\|erf\|fft\|log\|map\|not\|pad\|rng\|tan\|xor\|or\)\%(-start\|-update\|-done\)\?\ze(/
syntax match hloType /\%([A-Za-z0-9_.%-]\)\@1<!\%(f8e4m3b11fnuz\|f8e4m3fnuz\|f8e5m2fnuz\|f8e8m0fnu\|f4e2m1fn\|f6e2m3fn\|f6e3m2fn\|f8e4m3fn\|f8e3m4\|f8e4m3\|f8e5m2\|opaque\|token\|bf16\|c128\|pred\|c64\|f16\|f32\|f64\|s16\|s32\|s64\|u16\|u32\|u64\|s1\|s2\|s4\|s8\|u1\|u2\|u4\|u8\)\ze\[/
syntax match hloDefinition /\%(^\s*\%(ROOT\s\+\)\?\)\@40<=%\?[A-Za-z_][A-Za-z0-9_.-]*\ze\s*=\s/
syntax match hloComputation /\%(^\s*\%(ENTRY\s\+\)\?\)\@40<=%\?[A-Za-z_][A-Za-z0-9_.-]*\ze\s*\%((.*{\|{\)\s*$/
syntax match hloKeyword /^\s*\zs\%(HloModule\|ENTRY\|ROOT\)\>/
syntax match hloKeyword /^\%(FileNames\|FunctionNames\|FileLocations\|StackFrames\)\s*$/
syntax region hloString start=/"/ skip=/\\./ end=/"/
syntax region hloComment start=/\/\*/ end=/\*\//
syntax match hloComment /\/\/.*/
highlight default link hloName Identifier
highlight default link hloNumber Number
highlight default link hloConstant Constant
highlight default link hloAttribute PreProc
highlight default link hloCalled Function
highlight default link hloOpcode Statement
highlight default link hloType Type
highlight default link hloDefinition Identifier
highlight default link hloComputation Function
highlight default link hloKeyword Keyword
highlight default link hloString String
highlight default link hloComment Comment
let b:current_syntax = 'hlo'
