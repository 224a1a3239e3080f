# The rooms of the library and what each may include. A room sees its own headers and those of the rooms that it USES:
# its include directories hold no other room of src/, so that another #include does not compile. HEADERS are the room's
# public headers, below include/hloir, where the compiler finds those of all rooms; scripts/check-includes reads these
# rows and holds public includes to USES, too.
#
# hloir_room(name [OUTSIDE] [LIBRARY library] [FOLDER folder] [OPTION option] [ALWAYS file…]
#            [HEADERS name…] [USES room…])
#   LIBRARY  the installed library that has the room's objects: hloir::LIBRARY; by default the room's own name
#   FOLDER   by default src/NAME
#   OUTSIDE  uses public headers alone, as what is outside the tree
#   OPTION   where that is OFF, only the room's off.cc is compiled, whose entries say Unimplemented, and files ALWAYS

# All that a program needs to read, check and print HLO.
hloir_room(support LIBRARY ir HEADERS status version memory_limit detail/check detail/small_vector)
hloir_room(ir LIBRARY ir USES support
  HEADERS primitive_type shape literal opcode attributes custom_call instruction computation module
          detail/arena detail/fetch_ahead detail/instruction_list detail/instruction_range
          detail/name_index detail/unique_name)
hloir_room(shape_inference LIBRARY ir USES ir support)
hloir_room(verifier LIBRARY ir USES shape_inference ir support HEADERS verifier)
hloir_room(parser LIBRARY ir USES shape_inference ir support HEADERS parser)
hloir_room(printer LIBRARY ir USES ir support HEADERS printer)

# Other forms of modules, and what can be told of one.
hloir_room(build USES printer parser shape_inference ir support HEADERS builder)
hloir_room(custom_calls USES build ir support HEADERS custom_calls)
hloir_room(analysis USES custom_calls printer ir support HEADERS analysis cost source_line detail/steps)
hloir_room(proto USES ir support HEADERS proto)
hloir_room(stablehlo OPTION HLOIR_STABLEHLO ALWAYS looks_like_mlir.cc USES build printer parser shape_inference ir support HEADERS stablehlo)
hloir_room(export OPTION HLOIR_EXPORT USES proto analysis ir support HEADERS export)

# Engines and passes.
hloir_room(cpu FOLDER backend_cpu HEADERS evaluator executable
  USES analysis custom_calls build printer parser shape_inference ir support)
hloir_room(rewrite USES analysis build verifier printer ir support HEADERS match pass pipeline rewrite rewrite_util rules)
hloir_room(passes OUTSIDE FOLDER passes USES rewrite cpu analysis custom_calls build parser ir support HEADERS passes)
hloir_room(io USES cpu stablehlo proto verifier printer parser ir support HEADERS io)

# Do two modules compute the same, and which of them is better?
hloir_room(run USES passes cpu verifier printer parser ir support HEADERS runner plan_cache)
# (proof_check shares no code with the prover whose proofs it checks; the prover may ask it.)
hloir_room(proof_check USES analysis cpu build printer ir support)
hloir_room(equivalence USES proof_check analysis cpu ir support HEADERS prove)
hloir_room(check USES equivalence run passes rewrite cpu analysis build verifier ir support HEADERS check)
hloir_room(reduce USES check run io cpu verifier printer ir support)
hloir_room(fuzz USES check equivalence proof_check run io passes rewrite cpu proto analysis build verifier printer parser shape_inference ir support)
hloir_room(tune USES check run rewrite cpu analysis verifier parser ir support)

# What people and other programs see.
hloir_room(report USES check rewrite cpu analysis ir support HEADERS report)
hloir_room(scopes LIBRARY inspect USES ir support)
hloir_room(inspect USES scopes report tune run check rewrite io cpu analysis verifier printer ir support HEADERS inspect)
hloir_room(triage LIBRARY inspect USES inspect report check run rewrite io cpu analysis ir support)
hloir_room(lesson OPTION HLOIR_LESSONS USES inspect report check rewrite io analysis parser ir support)
hloir_room(lsp OPTION HLOIR_LSP USES inspect report verifier printer parser ir support)
hloir_room(c_api LIBRARY c USES check passes rewrite io cpu verifier printer parser ir support HEADERS hloir_c)
