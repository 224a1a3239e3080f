-- For vim.lsp.enable('hlo'), of Neovim 0.11.
return { cmd = { 'hloir', 'lsp' }, filetypes = { 'hlo' } }
