" HLO: by name, or, as XLA's dumps are .txt, by their first word.
autocmd BufRead,BufNewFile *.hlo setfiletype hlo
autocmd BufRead *.txt if getline(1) =~# '^HloModule ' | set filetype=hlo | endif
