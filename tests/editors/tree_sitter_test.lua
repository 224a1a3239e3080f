-- Every module of the list in $HLO_FILES, read by the tree-sitter grammar. Run by tree_sitter_test.
local failed = false
local function check(what, holds)
  if not holds then
    failed = true
    io.stderr:write(what .. '\n')
  end
end

local function parse(text) return vim.treesitter.get_string_parser(text, 'hlo'):parse()[1]:root() end
local count = vim.treesitter.parse_query('hlo', '(instruction) @i (computation) @c (ERROR) @e')
local function counts(root, text)
  local n = { i = 0, c = 0, e = 0 }
  for capture in count:iter_captures(root, text, 0, -1) do
    n[count.captures[capture]] = n[count.captures[capture]] + 1
  end
  return n
end

local files, instructions = 0, 0
for path in io.lines(vim.env.HLO_FILES) do
  local text = io.open(path):read('a')
  local root = parse(text)
  check(path .. ': it has an error', not root:has_error())
  files = files + 1
  if vim.startswith(path, 'corpus/') then
    -- XLA writes an instruction a line, and a computation begins where a line ends in a brace.
    local n, lines, blocks = counts(root, text), 0, 0
    for line in text:gmatch('[^\n]+') do
      if line:find('^%s+ROOT %%?[%w_.-]+ = ') or line:find('^%s+%%?[%w_.-]+ = ') then lines = lines + 1 end
      if line:find('{%s*$') then blocks = blocks + 1 end
    end
    check(('%s: %d instructions in %d lines, %d computations of %d'):format(path, n.i, lines, n.c, blocks),
      n.i == lines and n.c == blocks)
    instructions = instructions + n.i
  end
end
check('too few files', files > 1000 and instructions > 50000)

-- While a line is typed, the others keep their nodes. (After an open brace they do not: braces may hold nearly all.)
local lines = { 'HloModule m', 'ENTRY e {' }
for k = 1, 20 do lines[#lines + 1] = ('  x.%d = f32[8]{0} add(x.%d, x.%d), metadata={op_name="a"}'):format(k, k - 1, k - 1) end
lines[#lines + 1] = '}'
for _, typed in ipairs({ '  x.9 = f32[8', '  x.9 = f32[8]{0} add(x.8, ', '  x.9 = f32[8]{0} add(x.8), metadata=', '  x.9' }) do
  local text = table.concat(lines, '\n'):gsub('  x%.9 = [^\n]*', typed)
  local n = counts(parse(text), text)
  check(('%d of 19 instructions are left beside "%s"'):format(n.i, typed), n.i >= 18)
end

if failed then vim.cmd('cquit') end
io.stderr:write(('%d files, %d instructions of the corpus: all of it holds\n'):format(files, instructions))
vim.cmd('qall!')
