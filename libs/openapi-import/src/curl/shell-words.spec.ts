import { splitWords } from './shell-words.ts';

it.each<[string, string, string[]]>([
  ['spaces', 'a  b\tc', ['a', 'b', 'c']],
  ['single quotes', String.raw`'say "hi" \n' x`, [String.raw`say "hi" \n`, 'x']],
  ['double quotes', String.raw`"say \"hi\" \\ \$HOME \n"`, [String.raw`say "hi" \ $HOME \n`]],
  ['an escaped quote', String.raw`'it'\''s'`, ["it's"]],
  ['words of several parts', `-H'a: b'"c"d`, ['-Ha: bcd']],
  ['empty words', `'' "" x`, ['', '', 'x']],
  ['ANSI quotes', String.raw`$'a\tb\n\x41\u00e9\101\'\\'`, ["a\tb\nAéA'\\"]],
  ['a wrong code point', String.raw`$'\UFFFFFFFF'`, ['\ufffd']],
  ['continued lines', 'a \\\n  b "c\\\nd"', ['a', 'b', 'cd']],
  ['continued lines of Windows', 'a \\\r\n  b', ['a', 'b']],
  ['a line after the command', 'a b\nrm x', ['a', 'b']],
  ['comments', '# first\na b#c # d', ['a', 'b#c']],
  ['pipes', 'a b | jq .', ['a', 'b']],
  ['redirections', 'a b>file', ['a', 'b']],
  ['other commands', 'a b && c; d', ['a', 'b']],
  ['an address without quotes', 'a http://h/?x=1&y=2 b', ['a', 'http://h/?x=1&y=2', 'b']],
  ['nothing that would be run', 'a $(rm x) "`id`" $HOME', ['a', '$(rm', 'x)', '`id`', '$HOME']],
  [
    'a command for cmd.exe',
    'curl ^"http://h/?a=1^&b=2^" ^\n  -H ^"x: ^\\^"y^\\^"^"',
    ['curl', 'http://h/?a=1&b=2', '-H', 'x: "y"'],
  ],
  ['a command for PowerShell', 'curl `\n  "x"', ['curl', 'x']],
])('splits a command with %s', (_, script, words) => {
  expect(splitWords(script)).toEqual(words);
});

it.each([`'a`, `"a`, `$'a`, `a 'b' "c`])('rejects %s, a quote without its end', (script) => {
  expect(() => splitWords(script)).toThrow('without its end');
});

it('takes linear time', () => {
  const before = process.cpuUsage();
  for (const part of ["'a'", '"\\"', '\\', "$'\\x41'", '$"', ' a', '&', '#', '^"', '`\n']) {
    try {
      splitWords(part.repeat(100_000));
    } catch {
      // Some of them do not end.
    }
  }
  // Of the processor: a busy machine takes longer.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
