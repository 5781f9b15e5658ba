import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { QuestionField } from '@platform/contracts';
import type { QuestionForm } from '../../turns/questions/question-form.ts';

type RequestedSchema = ElicitRequestFormParams['requestedSchema'];
type FieldSchema = RequestedSchema['properties'][string];

/** The form of a question as MCP clients show one. */
export function toRequestedSchema({ fields, minValues }: QuestionForm): RequestedSchema {
  const isNeeded = (field: QuestionField) =>
    field.required === true || (minValues > 0 && fields.length === 1);
  const required = fields.filter(isNeeded).map(({ key }) => key);
  const properties = fields.map((field) => [field.key, toFieldSchema(field)] as const);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function toFieldSchema({ type, label: title, choices }: QuestionField): FieldSchema {
  switch (type) {
    case 'choice':
      return { type: 'string', title, enum: choices ?? [] };
    case 'boolean':
      return { type: 'boolean', title };
    case 'number':
      return { type: 'number', title };
    case 'date':
      return { type: 'string', title, format: 'date' };
    case 'text':
      return { type: 'string', title };
  }
}

/** The question for clients that show no forms: the model asks the person, and calls `get_result` with the values. */
export function toText({ message, fields }: QuestionForm): string {
  const lines = fields.map(({ key, label, type, choices }) => {
    const values =
      type === 'choice' ? (choices ?? []).map((choice) => JSON.stringify(choice)).join(', ') : type;
    return `- ${key} (${label}): ${values}`;
  });
  return [message, ...lines].join('\n');
}
