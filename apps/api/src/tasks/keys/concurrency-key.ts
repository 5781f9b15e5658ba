import { hashJson } from '../../infra/runtime/json.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { resolveTemplates, type TemplateScope } from '../templates/template.ts';

/** Identifies the value of a key. Runs for which it has no value have the same one. As hexadecimal digits. */
export function hashConcurrencyKey(template: string, scope: Omit<TemplateScope, 'steps'>): string {
  return hashJson(resolveKey(template, scope)).toString('hex');
}

function resolveKey(template: string, scope: Omit<TemplateScope, 'steps'>): unknown {
  try {
    return [resolveTemplates(template, { ...scope, steps: {} })];
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
