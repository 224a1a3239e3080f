; Names of instructions hold within their computation.
(computation) @local.scope
(instruction name: (name) @local.definition)
(operands (name) @local.reference)
