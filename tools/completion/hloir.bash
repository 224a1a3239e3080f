# Completion of hloir's commands, flags, passes and files for bash. What there is to complete, hloir itself is asked.
_hloir() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} hloir=${COMP_WORDS[0]}
  # bash takes "=" for a word of its own: --passes=cse is three.
  [ "$word" = "=" ] && word=
  [ "$previous" = "=" ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "$("$hloir" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p') --help --version" -- "$word"))
  elif [ "$previous" = --passes ]; then
    local before=
    case $word in *[,[]*) before=${word%"${word##*[,[]}"} ;; esac
    COMPREPLY=($(compgen -P "$before" -W "$("$hloir" opt --list-passes 2>/dev/null | sed -n 's/^\([a-z0-9][a-z0-9-]*\) .*/\1/p')" -- "${word#"$before"}"))
    compopt -o nospace
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$("$hloir" "$command" --help 2>/dev/null | grep -oE '(^ *|,)--?[a-z][a-z-]*' | tr -d ' ,')" -- "$word"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _hloir hloir
