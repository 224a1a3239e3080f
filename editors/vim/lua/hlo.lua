-- HLO in Neovim from 0.7 on: require('hlo').setup(). Each HLO buffer gets `hloir lsp`, and colors by tree-sitter where
-- parser/hlo.so was compiled; without it, syntax/hlo.vim colors.
local M = {}

local function serve(buffer, cmd)
  local root = vim.fn.getcwd()
  if vim.lsp.start then return vim.lsp.start({ name = 'hlo', cmd = cmd, root_dir = root }, { bufnr = buffer }) end
  -- 0.7: one server for all buffers, as vim.lsp.start has it.
  if not M.client or vim.lsp.client_is_stopped(M.client) then
    M.client = vim.lsp.start_client({ name = 'hlo', cmd = cmd, root_dir = root })
  end
  if M.client then vim.lsp.buf_attach_client(buffer, M.client) end
end

local function color(buffer)
  if #vim.api.nvim_get_runtime_file('parser/hlo.so', false) == 0 then return end
  if vim.treesitter.start then return vim.treesitter.start(buffer, 'hlo') end
  vim.treesitter.highlighter.new(vim.treesitter.get_parser(buffer, 'hlo'))
end

-- options.cmd is the server's command, { 'hloir', 'lsp' } by default.
function M.setup(options)
  local cmd = options and options.cmd or { 'hloir', 'lsp' }
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'hlo',
    callback = function(event)
      color(event.buf)
      if vim.fn.executable(cmd[1]) == 1 then serve(event.buf, cmd) end
    end,
  })
end

return M
