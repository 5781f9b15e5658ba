import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { invalid } from './app-error.ts';
import { freeFormOf } from './free-form.ts';

/**
 * Turns a body or query into its DTO and refuses what does not fit, naming every field.
 * `null` counts as absent; free-form values go around class-transformer, which would damage them.
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || isPlain(metatype)) return value;
    const source = value ?? {};
    if (typeof source !== 'object' || Array.isArray(source)) throw invalid('The body must be a JSON object');

    const freeForm = freeFormOf(metatype);
    const checked: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(source)) {
      assertSafe(key, key);
      if (!freeForm.has(key) && field !== null) checked[key] = withoutNulls(field, key);
    }

    const dto = plainToInstance(metatype as Type<object>, checked);
    const errors = await validate(dto, {
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
    });
    const problems = errors.flatMap((error) => problemsOf(error, ''));
    for (const [key, check] of freeForm) {
      const raw = (source as Record<string, unknown>)[key] ?? undefined;
      problems.push(...check(raw, key));
      if (raw !== undefined) (dto as Record<string, unknown>)[key] = raw;
    }
    if (problems.length > 0) throw invalid(problems.join('; '));
    return dto;
  }
}

function isPlain(metatype: Type): boolean {
  return ([String, Boolean, Number, Array, Object] as unknown[]).includes(metatype);
}

function withoutNulls(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, i) => withoutNulls(item, `${path}[${i}]`));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    kept.map(([key, field]) => {
      assertSafe(key, `${path}.${key}`);
      return [key, withoutNulls(field, `${path}.${key}`)];
    }),
  );
}

/** Keys that every object has, such as `constructor`, class-transformer would swallow in silence. */
function assertSafe(key: string, path: string): void {
  if (key in Object.prototype) throw invalid(`${path} is not a known field`);
}

function problemsOf(error: ValidationError, parent: string): string[] {
  const path = /^\d+$/.test(error.property)
    ? `${parent}[${error.property}]`
    : `${parent}${parent && '.'}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) =>
    rule === 'whitelistValidation' ? `${path} is not a known field` : prefixed(message, error.property, path),
  );
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, path))];
}

/** class-validator starts its messages with the bare property; ours start with the whole path. */
function prefixed(message: string, property: string, path: string): string {
  if (message.startsWith(`${property} `)) return `${path}${message.slice(property.length)}`;
  if (message.startsWith('each value in ')) return message.replace(property, path);
  return message.startsWith(path) ? message : `${path}: ${message}`;
}
