import { describe, expect, it } from '@jest/globals';
import enAutomation from './en.automation.json' with { type: 'json' };
import enBase from './en.json' with { type: 'json' };
import enPlayground from './en.playground.json' with { type: 'json' };
import enSamples from './en.samples.json' with { type: 'json' };
import enSpace from './en.space.json' with { type: 'json' };
import enTools from './en.tools.json' with { type: 'json' };
import enTraces from './en.traces.json' with { type: 'json' };
import zhAutomation from './zh-CN.automation.json' with { type: 'json' };
import zhBase from './zh-CN.json' with { type: 'json' };
import zhPlayground from './zh-CN.playground.json' with { type: 'json' };
import zhSamples from './zh-CN.samples.json' with { type: 'json' };
import zhSpace from './zh-CN.space.json' with { type: 'json' };
import zhTools from './zh-CN.tools.json' with { type: 'json' };
import zhTraces from './zh-CN.traces.json' with { type: 'json' };

const en: Texts[] = [enBase, enAutomation, enPlayground, enSamples, enSpace, enTools, enTraces];
const zh: Texts[] = [zhBase, zhAutomation, zhPlayground, zhSamples, zhSpace, zhTools, zhTraces];

type Texts = { [key: string]: string | Texts };

function flatten(texts: Texts, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : flatten(value, `${path}${key}.`),
  );
}

const placeholders = (text: string) => [...new Set(text.match(/\{\{.*?\}\}/g))].sort();

describe('the Chinese texts', () => {
  const chinese = new Map(zh.flatMap((texts) => flatten(texts)));
  const english = en.flatMap((texts) => flatten(texts));

  it('exist for every English text, without the singular, which Chinese does not have', () => {
    expect([...chinese.keys()].sort()).toEqual(
      english
        .map(([key]) => key)
        .filter((key) => !key.endsWith('_one'))
        .sort(),
    );
  });

  it('have no name in two files', () => {
    const names = english.map(([key]) => key);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('have the placeholders of the English ones', () => {
    const others = english.filter(
      ([key, text]) =>
        chinese.has(key) && placeholders(text).join() !== placeholders(chinese.get(key) ?? '').join(),
    );
    expect(others).toEqual([]);
  });

  it('have Chinese punctuation, and address people in one way', () => {
    const others = [...chinese].filter(([, text]) => /您|\p{sc=Han}[,:;?!()]|[,;?!()]\p{sc=Han}/u.test(text));
    expect(others).toEqual([]);
  });
});
