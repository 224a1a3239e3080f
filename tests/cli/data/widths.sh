# What each verb of hloir usually says, on a typical module, held against 80 columns: bash widths.sh. Says which lines are
# wider, which verbs it has no command of, and what is colored though nobody looks. Not held: modules and instructions as text
# (all that print, opt, convert, reduce and fuzz generate write, and what dumps --find found), diagnostics, which are a line
# each, a command line to copy, JSON, the protocol of lsp, and what triage found, a line a program, which a terminal's width cuts.
export HLOIR_LESSONS=docs/lessons
unset COLUMNS
model=corpus/with_metadata/attention_forward
hloir opt $model.hlo --dump-to=dumped -o /dev/null
commands="
check $model.hlo
opt $model.hlo -o /dev/null --stats --memory --verify-each
opt --list-passes
opt --list-rules
opt $model.hlo -o /dev/null --bisect
print --help
convert $model.hlo -o x.pb
run $model.hlo
run $model.hlo --profile
run model.hlo --trace-values
verify $model.hlo
verify $model.hlo $model.opt.hlo
verify twice.hlo nought.hlo
stats --top=1000 $model.opt.hlo
stats $model.hlo
cost $model.opt.hlo
cost $model.opt.hlo --device=h100
cost --top=1000 ring.hlo --mesh=data=3
stats ring.hlo
verify --each model.hlo add.hlo twice.hlo ring.hlo
export $model.hlo -o x.pb --format=paragraph
reduce model.hlo --test=true -o x.hlo
tune $model.hlo --budget=300ms --trials=3
fuzz generate --help
fuzz run --count=2 --rules
fuzz rules --rule=add-
fuzz mutants model.hlo
fuzz mutants --list-kinds
fuzz xla --help
diff --top=100 $model.hlo $model.opt.hlo
diff model.hlo add.hlo
filecheck --help
graph $model.hlo -o x.dot
dumps dumped
dumps dumped --stages
dumps dumped --changes
dumps dumped --find=dot
dumps dumped --verify
triage --help
blame dumped
explain $model.hlo
lsp --help
lesson list
lesson show hlo
lesson show fusion --teacher
lesson start hlo work
lesson check hlo
"
while read -r command; do
  [ -n "$command" ] || continue
  verbs="${verbs:-} ${command%% *} "
  # shellcheck disable=SC2086
  hloir $command >said 2>&1
  status=$?
  [ $status -le 1 ] || echo "hloir $command: exit status $status"
  # One pass for all lines; a shell's loop would take seconds.
  grep -vE '^[^ ]*[.]hlo: |^hloir: (error|note): |^--passes=|^[^ ]+: [^ ]+: %|^\{' said | grep -E '.{81}' | sed "s|^|hloir $command: |"
  ! grep -q $'\x1b' said || echo "hloir $command: colors"
done <<<"$commands"
for verb in $(hloir --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'); do
  [[ ${verbs:-} = *" $verb "* ]] || echo "no command of hloir $verb"
done
