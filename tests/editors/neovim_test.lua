-- What Neovim 0.7 or later shows of an HLO file: colors and the file type by editors/vim, the rest by its own client of
-- `hloir lsp`. Run by neovim_test.
local text = [[
HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY e {
  p = f32[8]{0} parameter(0)
  n = f32[8]{0} negate(p)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(n, z), dimensions={0}, to_apply=add
}
]]
local failed = false
local function check(what, holds)
  if not holds then
    failed = true
    io.stderr:write('not so: ' .. what .. '\n')
  end
end
local function wait(what, condition) check(what, vim.wait(10000, condition, 20)) end

local file = io.open('m.hlo', 'w')
file:write(text)
file:close()
vim.cmd('edit m.hlo')
local buffer = vim.api.nvim_get_current_buf()
check('it is an HLO file', vim.bo.filetype == 'hlo')
check('comments are known', vim.bo.commentstring == '// %s')
local function color(line, column) return vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name') end
check('opcodes have a color of their own', color(11, 17) ~= '' and color(11, 17) ~= color(11, 3))

-- The configuration that vim.lsp.enable('hlo') takes of Neovim 0.11 on.
local config = dofile(vim.api.nvim_get_runtime_file('lsp/hlo.lua', false)[1])
check('it is for HLO files', config.filetypes[1] == 'hlo' and config.cmd[1] == 'hloir')

-- What setup() adds to a file that is opened after it: colors by tree-sitter, if its parser was compiled, and the server.
require('hlo').setup()
vim.cmd('edit')
local id
wait('a client is attached', function()
  id = next(vim.lsp.buf_get_clients(buffer))
  return id
end)
do
  local active = vim.treesitter.highlighter.active[buffer]
  check('tree-sitter colors the buffer', active)
  local tree, query = vim.treesitter.get_parser(buffer, 'hlo'), vim.treesitter.get_query('hlo', 'highlights')
  local root = tree:parse()[1]:root()
  check('there is no error', not root:has_error())
  local groups = {}
  for capture, node in query:iter_captures(root, buffer, 0, -1) do
    local line, column = node:range()
    local place, group = line .. ':' .. column, query.captures[capture]
    if group:sub(1, 1) ~= '_' then
      -- Helix takes the first color of a node, Neovim the last.
      check(place .. ' has one color', groups[place] == nil)
      groups[place] = group
    end
  end
  for place, group in pairs({ ['0:0'] = 'keyword', ['0:10'] = 'namespace', ['2:0'] = 'function', ['8:0'] = 'keyword',
    ['8:6'] = 'function', ['9:2'] = 'variable', ['9:6'] = 'type.builtin', ['9:10'] = 'constant.numeric',
    ['9:16'] = 'function.builtin', ['12:2'] = 'keyword', ['12:24'] = 'variable', ['12:31'] = 'property',
    ['12:56'] = 'function' }) do
    check(('%s is %s, not %s'):format(place, group, groups[place]), groups[place] == group)
  end
  for _, group in ipairs({ 'keyword', 'function', 'type.builtin', 'constant.numeric', 'function.builtin', 'property' }) do
    local shown = false
    for k, capture in ipairs(query.captures) do
      if capture == group and active then shown = active:get_query('hlo').hl_cache[k] ~= 0 end
    end
    check(group .. ' is shown', shown)
  end
end
wait('the server is there', function()
  local client = vim.lsp.get_client_by_id(id)
  return client and client.server_capabilities and client.server_capabilities.hoverProvider and true
end)
local function ask(method, line, character, more)
  local params = vim.tbl_extend('force', {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    position = { line = line, character = character },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(buffer, 'textDocument/' .. method, params, 10000)
  return answers and answers[id] and answers[id].result
end

local hover = ask('hover', 10, 2)
check('a hover has the formula', hover and hover.contents.value:find('r[i] = -a[i]', 1, true))
local place = ask('definition', 12, 59)
place = place and (place.range or place[1] and place[1].range)
check('to_apply= leads to its computation', place and place.start.line == 2)
local uses = ask('references', 10, 2, { context = { includeDeclaration = true } })
check('n is used once', uses and #uses == 2 and uses[2].range.start.line == 12)
local symbols = ask('documentSymbol', 0, 0)
check('symbols', symbols and #symbols == 2 and #symbols[2].children == 4)
check('a right module has no diagnostics', #vim.diagnostic.get(buffer) == 0)

-- As one types: two wrong opcodes, and both are marked.
vim.api.nvim_buf_set_lines(buffer, 9, 11, false, { '  p = f32[8]{0} parameter(0)', '  n = f32[8]{0} negat(p)' })
vim.api.nvim_buf_set_lines(buffer, 12, 13, false, { '  ROOT r = f32[] reduc(n, z), dimensions={0}, to_apply=add' })
wait('wrong opcodes are marked', function()
  local lines = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do lines[#lines + 1] = d.lnum end
  table.sort(lines)
  return #lines == 2 and lines[1] == 10 and lines[2] == 12
end)
vim.api.nvim_buf_set_lines(buffer, 10, 11, false, { '    n = f32[8]{0}  negate(p)' })
vim.api.nvim_buf_set_lines(buffer, 12, 13, false, { '  ROOT r = f32[] reduce(n, z), dimensions={0}, to_apply=add' })
wait('the marks go', function() return #vim.diagnostic.get(buffer) == 0 end)

local format = ask('formatting', 0, 0, { options = { tabSize = 2, insertSpaces = true } })
vim.lsp.util.apply_text_edits(format or {}, buffer, 'utf-16')
check('it is formatted', vim.api.nvim_buf_get_lines(buffer, 10, 11, false)[1] == '  n = f32[8]{0} negate(p)')
local rename = ask('rename', 2, 1, { newName = 'sum' })
if rename then vim.lsp.util.apply_workspace_edit(rename, 'utf-16') end
check('a computation is renamed', vim.api.nvim_buf_get_lines(buffer, 2, 3, false)[1] == 'sum {' and
  vim.api.nvim_buf_get_lines(buffer, 12, 13, false)[1]:find('to_apply=sum', 1, true))
local refused = vim.lsp.buf_request_sync(buffer, 'textDocument/rename', {
  textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = 2, character = 1 }, newName = 'e' }, 10000)
check('a name that is taken is refused', refused[id].error and refused[id].error.message:find('already', 1, true))

vim.lsp.stop_client(id)
wait('the server ends', function() return vim.lsp.get_client_by_id(id) == nil or vim.lsp.client_is_stopped(id) end)
if failed then vim.cmd('cquit') end
io.stderr:write('all of it holds\n')
vim.cmd('qall!')
