import 'reflect-metadata';
import type { Type as Class } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  getMetadataStorage,
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import { AppError } from '../errors/app-error.ts';
import { FreeForm } from './free-form.ts';
import { Nullable } from './nullable.ts';
import { IsText } from './text.ts';
import { BodyPipe } from './validation.pipe.ts';

class PartDto {
  @IsOptional()
  @IsString()
  a?: string;
}

class WholeDto {
  @IsOptional()
  @IsString()
  name?: string;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => PartDto)
  part?: PartDto;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  list?: string[];

  @FreeForm(() => [])
  anything?: unknown;
}

class ChangeDto extends WholeDto {
  @Nullable()
  @IsOptional()
  @IsString()
  icon?: string | null;

  @Nullable()
  @FreeForm(() => [])
  filter?: unknown;
}

const keys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

const read = (body: unknown, metatype: Class<object> = WholeDto): Promise<unknown> =>
  new BodyPipe().transform(body, { type: 'body', metatype });

async function refusal(body: unknown): Promise<string> {
  const error: unknown = await read(body).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error('The body was not refused');
  expect(error.code).toBe('VALIDATION_ERROR');
  expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(4096);
  return error.message;
}

describe('BodyPipe', () => {
  it('reads what fits, without nulls', async () => {
    const body = { name: 'n', part: { a: null }, list: ['x'], anything: { constructor: null } };
    expect(await read(body)).toEqual({ ...body, part: {} });
    expect(await read(undefined)).toEqual({});
  });

  it('keeps null in the nullable fields of the body itself', async () => {
    const body = { icon: null, filter: null, name: null, anything: null, part: { icon: null, a: null } };
    expect(await read(body, ChangeDto)).toEqual({ icon: null, filter: null, part: {} });
  });

  it('refuses more than 500 keys in any object, before class-transformer takes the square of them', async () => {
    expect(await refusal(keys(118_000))).toBe('The body must have at most 500 keys');
    expect(await refusal({ part: keys(120_000) })).toBe('part must have at most 500 keys');
    expect(await refusal({ part: { a: { b: [{ c: keys(501) }] } } })).toBe(
      'part.a.b[0].c must have at most 500 keys',
    );
    expect(await refusal({ list: [keys(501)] })).toBe('list[0] must have at most 500 keys');
  });

  it('names the first three of up to 500 unknown keys, and counts the others', async () => {
    const message = await refusal(keys(500));
    expect(message.match(/k\d+ is not a known field/g)).toHaveLength(3);
    expect(message).toContain('… and 497 more');
    expect(await refusal({ ['x'.repeat(1_000_000)]: 1, b: 1 })).toMatch(/^x+…; b is not a known field$/);
  });

  it('refuses more than 10,000 items in any list, and more than 20,000 fields in all', async () => {
    expect(await refusal({ list: Array(10_001).fill('x') })).toBe('list must have at most 10000 items');
    expect(await read({ list: Array(10_000).fill('x') })).toMatchObject({ list: { length: 10_000 } });
    const lists = Array.from({ length: 100 }, () => Array(300).fill([]) as unknown[]);
    expect(await refusal({ list: lists })).toBe('The body must have at most 20000 fields');
    expect(await refusal({ part: Array(45).fill(keys(500)) })).toBe(
      'The body must have at most 20000 fields',
    );
  });

  it('tells of a field that is missing nothing else', async () => {
    class RequiredDto {
      @IsText()
      @Length(1, 120)
      name!: string;

      @FreeForm((value, path) => (value === undefined ? [`${path} must be an object`] : []))
      schema?: unknown;

      @ValidateNested()
      @Type(() => PartDto)
      @IsObject()
      part!: PartDto;
    }
    const missing = ['name is required', 'part is required', 'schema is required'];
    for (const body of [{}, { name: null, schema: null, part: null }])
      await expect(read(body, RequiredDto)).rejects.toThrow(missing.join('; '));
    await expect(read({ name: '', schema: 1, part: {} }, RequiredDto)).rejects.toThrow(
      'name must be longer than or equal to 1 characters',
    );
  });

  it('looks for the rules of a class among those of all classes once', async () => {
    const rulesOf = () => getMetadataStorage().getTargetValidationMetadatas(ChangeDto, '', false, false);
    await read({ part: { a: 'a' } }, ChangeDto);
    expect(rulesOf().map(({ propertyName }) => propertyName)).toEqual(
      expect.arrayContaining(['icon', 'name']),
    );
    expect(rulesOf()).toBe(rulesOf());
  });

  it('does not count what is free-form', async () => {
    const anything = [keys(30_000), Array(30_000).fill(1)];
    expect(await read({ anything })).toEqual({ anything });
  });

  it('takes any number of problems from a check', async () => {
    class StrictDto {
      @FreeForm(() => Array.from({ length: 400_000 }, (_, i) => `problem ${i}`))
      anything?: unknown;

      @IsOptional()
      @IsString()
      name?: string;
    }
    const reading = new BodyPipe().transform({ anything: 1 }, { type: 'body', metatype: StrictDto });
    await expect(reading).rejects.toThrow(/^problem 0; .*… and \d+ more$/);
  });

  it.each([[[]], [Buffer.from('x')], [5]])('refuses %j, which is no object', async (body) => {
    expect(await refusal(body)).toBe('The body must be a JSON object');
  });
});
