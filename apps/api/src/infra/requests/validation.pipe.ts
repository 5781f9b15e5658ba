import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError } from 'class-validator';
import { invalid, invalidFor } from '../errors/app-error.ts';
import { unknownField } from '../errors/error-message.ts';
import { freeFormOf, MAX_KEYS } from './free-form.ts';
import { isNullable } from './nullable.ts';

/** The most items of a list that is not free-form; DTOs set lower limits. */
const MAX_ITEMS = 10_000;
/** The most keys and items together outside of free-form fields. */
const MAX_FIELDS = 20_000;

rememberRules();

/**
 * Converts a body or query into its DTO. Throws VALIDATION_ERROR that names every wrong field. Null counts as absent,
 * except in nullable fields.
 * Free-form values bypass class-transformer, which would damage them.
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  async transform(value: unknown, { type, metatype }: ArgumentMetadata): Promise<unknown> {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || isPlain(metatype)) return value;
    const source = value ?? {};
    if (typeof source !== 'object' || Array.isArray(source) || Buffer.isBuffer(source))
      throw invalid('The body must be a JSON object');

    const freeForm = freeFormOf(metatype);
    const checked = new BoundedCopy(metatype, freeForm).of(source);
    const dto = plainToInstance(metatype as Type<object>, checked);
    const errors = await validate(dto, {
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
    });
    const problems = errors.flatMap((error) => problemsOf(error, ''));
    for (const [key, check] of freeForm) {
      const raw = (source as Record<string, unknown>)[key];
      const found = check(raw ?? undefined, key);
      if (raw == null && found.length > 0) problems.push(missing(key));
      else for (const problem of found) problems.push(problem);
      if (raw === undefined || (raw === null && !isNullable(metatype, key))) continue;
      (dto as Record<string, unknown>)[key] = raw;
    }
    if (problems.length > 0) throw invalidFor(problems);
    return dto;
  }
}

/**
 * For each object that it validates, class-validator looks at the rules of every class. With hundreds of DTOs, that takes longer
 * than the validation, and the rules of a class never change.
 */
function rememberRules(): void {
  const storage = getMetadataStorage();
  const find = storage.getTargetValidationMetadatas.bind(storage);
  const rules = new WeakMap<object, ReturnType<typeof find>>();
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) return find(target, schema, always, strictGroups, groups);
    const known = rules.get(target);
    if (known !== undefined) return known;
    const found = find(target, schema, always, strictGroups);
    rules.set(target, found);
    return found;
  };
}

function isPlain(metatype: Type): boolean {
  return ([String, Boolean, Number, Array, Object] as unknown[]).includes(metatype);
}

/**
 * The copy of a body that class-transformer receives, without free-form fields and nulls that mean nothing. Throws if the body has more
 * parts than any DTO: class-transformer takes time quadratic in the keys of an object.
 */
class BoundedCopy {
  private fields = 0;

  constructor(
    private readonly dto: Type,
    private readonly freeForm: ReadonlyMap<string, unknown>,
  ) {}

  of(source: object): object {
    return this.object(source, '');
  }

  private object(value: object, path: string): object {
    const keys = Object.keys(value);
    const name = path || 'The body';
    if (keys.length > MAX_KEYS) throw invalid(`${name} must have at most ${MAX_KEYS} keys`);
    this.count(keys.length);
    const copy: Record<string, unknown> = {};
    for (const key of keys) {
      const at = path ? `${path}.${key}` : key;
      assertSafe(key, at);
      const field = (value as Record<string, unknown>)[key];
      const isTop = path === '';
      if (isTop && this.freeForm.has(key)) continue;
      if (field === null && !(isTop && isNullable(this.dto, key))) continue;
      copy[key] = this.any(field, at);
    }
    return copy;
  }

  private any(value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return this.object(value, path);
    if (value.length > MAX_ITEMS) throw invalid(`${path} must have at most ${MAX_ITEMS} items`);
    this.count(value.length);
    return value.map((item, i) => this.any(item, `${path}[${i}]`));
  }

  private count(more: number): void {
    this.fields += more;
    if (this.fields > MAX_FIELDS) throw invalid(`The body must have at most ${MAX_FIELDS} fields`);
  }
}

/** class-transformer silently drops keys that every object has, such as `constructor`. */
function assertSafe(key: string, path: string): void {
  if (key in Object.prototype) throw invalid(unknownField(path));
}

function problemsOf(error: ValidationError, parent: string): string[] {
  const path = /^\d+$/.test(error.property)
    ? `${parent}[${error.property}]`
    : `${parent}${parent && '.'}${error.property}`;
  const all = Object.entries(error.constraints ?? {});
  if (error.value === undefined && all.length > 0) return [missing(path)];
  const kinds = all.filter(([rule]) => KIND_RULES.has(rule));
  const own = (kinds.length > 0 ? kinds : all).map(([rule, message]) =>
    rule === 'whitelistValidation' ? unknownField(path) : prefixed(plain(message), error.property, path),
  );
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, path))];
}

/** What a value of another kind breaks besides, such as the bounds of a number, says nothing that helps. */
const KIND_RULES = new Set([
  'isArray',
  'isBoolean',
  'isInt',
  'isNumber',
  'isObject',
  'isString',
  'isText',
  'isFilledText',
]);

/** The rules of a field that was not sent say nothing that helps. */
const missing = (path: string) => `${path} is required`;

const plain = (message: string) => message.replace(/ conforming to the specified constraints$/, '');

/** Messages of class-validator start with the property name; ours start with the full path. */
function prefixed(message: string, property: string, path: string): string {
  if (message.startsWith(`${property} `)) return `${path}${message.slice(property.length)}`;
  if (message.startsWith('each value in ')) return message.replace(property, path);
  return message.startsWith(path) ? message : `${path}: ${message}`;
}
