import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { IsFilledText } from '../../infra/requests/text.ts';
import { checkMethodChanges, checkMethods, MAX_METHODS } from './method-definition.ts';
import { ToolMethodRequestDto, UpdateToolMethodDto } from './tools.dto.ts';

class MethodFieldsDto extends OmitType(UpdateToolMethodDto, ['name'] as const) {}

class ToolMethodChangeDto {
  /** @example getPet */
  name!: string;
  /** The fields that change. */
  change!: MethodFieldsDto;
}

export class ChangeToolMethodsDto {
  /**
   * That of the tool as the caller knows it.
   * @example 2026-01-31T12:00:00.000Z
   */
  @IsFilledText()
  updatedAt!: string;

  /** A tool has at most 500 methods. */
  @ApiProperty({ type: [ToolMethodRequestDto], required: false })
  @FreeForm((value, path) => (value === undefined ? [] : checkMethods(value, path)))
  add?: ToolMethodRequestDto[];

  /** At most 500. */
  @ApiProperty({ type: [ToolMethodChangeDto], required: false })
  @FreeForm((value, path) => (value === undefined ? [] : checkMethodChanges(value, path)))
  update?: ToolMethodChangeDto[];

  /**
   * The names of methods to delete, at most 500.
   * @example ["getPet"]
   */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_METHODS)
  @IsString({ each: true })
  remove?: string[];
}
