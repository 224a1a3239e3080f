; Colors. No node has two, because editors differ in whether the first or the last counts.
["HloModule" "ENTRY" "ROOT" "FileNames" "FunctionNames" "FileLocations" "StackFrames"] @keyword
(header name: (name) @namespace)
(computation name: (name) @function)
((attribute name: (attribute_name) @_calls value: [(name) @function (braces (name) @function)])
 (#match? @_calls "^(to_apply|calls|condition|body|true_computation|false_computation|branch_computations|select|scatter|called_computations)$"))
(opcode) @function.builtin
(type) @type.builtin
(attribute_name) @property
(instruction name: (name) @variable)
(operands (name) @variable)
(parameter name: (name) @variable.parameter)
(number) @constant.numeric
(words) @constant.numeric
(boolean) @constant.builtin
(string) @string
(comment) @comment
["=" "->"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":"] @punctuation.delimiter
