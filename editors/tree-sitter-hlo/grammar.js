// HLO text for tree-sitter. Modules, computations and instructions have a structure; a value of an attribute and the operands are
// lists of what stands there, so that attributes and opcodes that come later need no other grammar. Which words are opcodes,
// types and names follows from where they stand. src/ is written from this file by `tree-sitter generate --abi 14`.
const list = (rule) => seq(rule, repeat(seq(',', rule)), optional(','));

module.exports = grammar({
  name: 'hlo',
  extras: ($) => [/\s/, $.comment],
  word: ($) => $.name,
  inline: ($) => [$._computation_name],

  rules: {
    module: ($) => repeat(choice($.header, $.table, $.computation, $.instruction)),

    header: ($) => prec.right(seq('HloModule', field('name', $.name), optional(':'), repeat(seq(',', $.attribute)))),

    // Of the program: FileNames and the like, numbered.
    table: ($) => prec.right(seq(choice('FileNames', 'FunctionNames', 'FileLocations', 'StackFrames'), repeat($.entry))),
    entry: ($) => seq($.number, choice($.string, $.braces)),

    computation: ($) => seq(optional('ENTRY'), $._computation_name, optional($.signature), '{', repeat($.instruction), '}',
                            repeat(seq(',', $.attribute))),
    _computation_name: ($) => field('name', $.name),
    signature: ($) => seq('(', optional(list($.parameter)), ')', '->', $._shape),
    parameter: ($) => seq(field('name', $.name), optional(':'), $._shape),

    instruction: ($) => prec.right(seq(optional('ROOT'), field('name', $.name), '=', optional(seq(field('shape', $._shape), optional($.braces))),
                                       field('opcode', alias($.name, $.opcode)), field('operands', $.operands),
                                       repeat(seq(',', $.attribute)))),
    // Without pairs, so that an instruction after an open parenthesis is none of the operands.
    operands: ($) => seq('(', repeat(choice($._value, $._mark)), ')'),
    // Braces follow a mesh: replica_groups=mesh['x'=2,'y'=4], device_ids=(…) {'x'}
    attribute: ($) => prec.right(seq(field('name', alias($.name, $.attribute_name)), '=', field('value', $._value),
                                     optional($.braces))),

    _shape: ($) => choice($.array, $.tuple, $.buffer),
    buffer: ($) => seq('b(', $._shape, ')'),
    tuple: ($) => seq('(', optional(list($._shape)), ')'),
    array: ($) => prec.right(seq(field('type', alias($.name, $.type)), $.dimensions, optional($.layout))),
    // A bracket or brace that follows at once: `f32[8] {` has no layout.
    dimensions: ($) => seq(token.immediate('['), repeat(choice($.number, '?', '<=', ',')), ']'),
    layout: ($) => seq(token.immediate('{'), repeat(choice($.number, $.name, $.group, $.braces, ':', ',', '*')), '}'),

    _value: ($) => choice($.number, $.string, $.words, $.name, $.boolean, $.braces, $._typed, $.mesh, $.group, $.iota,
                         $.brackets),
    // A shape, or a literal with its own: literal=f32[] 0.1
    _typed: ($) => prec.right(seq($.array, optional(choice($.number, $.boolean, $.braces)))),
    mesh: ($) => seq('mesh[', repeat($._part), ']'),
    // [2,4]<=[4,2]T(1,0)
    iota: ($) => prec.right(seq($.brackets, '<=', $.brackets, optional($.transposed))),
    transposed: ($) => seq(token.immediate('T('), list($.number), ')'),
    pair: ($) => prec.right(seq(field('name', alias(choice($.name, $.string), $.attribute_name)), '=', optional(field('value', $._value)))),
    _part: ($) => choice($._value, $.pair, $._mark),
    _mark: () => choice(',', ':', '->', '?', '*', '...', /[#<>@!$]/),
    braces: ($) => seq('{', repeat($._part), '}'),
    brackets: ($) => seq('[', repeat($._part), ']'),
    group: ($) => seq('(', repeat($._part), ')'),

    name: () => /%?[A-Za-z_][A-Za-z0-9_.\-]*/,
    number: () => token(choice(/-?\d+(\.\d*)?([eE][+\-]?\d+)?/, /[+\-]?0[xX][0-9a-fA-F.]+([pP][+\-]?\d+)?/, /-?(inf|nan)/,
                               /-?nan\(0x[0-9a-fA-F]+\)/)),
    boolean: () => choice('true', 'false'),
    // 3x3, 0_1x1_0, 1.5x, b01f_01io->b01f
    words: () => token(choice(/-?\d+([_x]-?\d+)+/, /[0-9a-z?]+_[0-9a-z?]+->[0-9a-z?]+/)),
    string: () => token(choice(/"([^"\\]|\\(.|\n))*"/, /'([^'\\]|\\(.|\n))*'/)),
    comment: () => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
