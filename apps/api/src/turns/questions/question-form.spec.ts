import { countOfValuesProblem, fieldsProblem, readValues } from '../../tasks/inbox/question-fields.ts';
import type { Question, UserAnswer } from './question.ts';
import { answerProblem, parseQuestion } from './questions.ts';
import { toAnswer, toForm, toValues } from './question-form.ts';

const read = (input: Record<string, unknown>): Question => {
  const question = parseQuestion(input);
  if (typeof question === 'string') throw new Error(question);
  return question;
};

const LONG = 'x'.repeat(300);

describe('the form of a question', () => {
  it('is one that a step of kind ask could have, whatever the options are', () => {
    const options = ['', ' ', 'a', 'a', LONG, LONG, `${LONG}y`, '😀'.repeat(150)].map((label) => ({ label }));
    for (const multiple of [false, true]) {
      const { fields, message } = toForm(read({ question: 'q'.repeat(20_000), options, multiple }));
      expect(fieldsProblem(fields)).toBeNull();
      expect(message).toHaveLength(10_000);
    }
    const open = toForm(read({ question: 'Why?', options: [], allowOther: true }));
    expect(open).toEqual({
      message: 'Why?',
      fields: [{ key: 'other', label: 'Other', type: 'text' }],
      minValues: 1,
      maxValues: 1,
    });
  });

  it('takes a text that was left empty as none, as MCP clients send it', () => {
    const question = read({ question: 'Q', options: [{ label: 'a' }], allowOther: true });
    const answer = toAnswer(question, { choice: 'a', other: '' });
    expect(answer).toEqual({ selectedOptionIds: ['option_1'], otherText: null });
    expect(answerProblem(question, answer)).toBeNull();
  });

  it('has the answers of the question, and no others', () => {
    const options = ['a', 'b', 'b'].map((label) => ({ label }));
    for (const multiple of [false, true])
      for (const allowOther of [false, true]) {
        const question = read({ question: 'Q', options, multiple, allowOther });
        const form = toForm(question);
        for (let bits = 0; bits < 16; bits += 1) {
          const selectedOptionIds = question.options.filter((_, i) => bits & (1 << i)).map(({ id }) => id);
          const answer: UserAnswer = { selectedOptionIds, otherText: bits & 8 ? 'c' : null };
          const isRight = answerProblem(question, answer) === null;
          const values = toValues(question, answer);
          const { problems } = readValues(form.fields, values, false);
          const problem = problems[0] ?? countOfValuesProblem(form, values);
          // Two choices of a single one are no values.
          if (multiple || selectedOptionIds.length < 2) expect(problem === null).toBe(isRight);
          if (isRight) expect(toAnswer(question, values)).toEqual(answer);
        }
      }
  });
});
