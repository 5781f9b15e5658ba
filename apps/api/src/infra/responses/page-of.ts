import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '@platform/contracts';

/** The class of a page of a list, to extend for each kind of item: the API document names its schema after that class. */
export function pageOf<T>(Item: Type<T>): Type<Page<T>> {
  class PageOf implements Page<T> {
    @ApiProperty({ type: [Item] })
    items!: T[];

    @ApiProperty({ type: 'string', nullable: true })
    nextCursor!: string | null;
  }
  return PageOf;
}
