import { SAVED_VIEW_LIMITS, SAVED_VIEW_PAGES, type SavedViewPage } from '@platform/contracts';
import { IsBoolean, IsIn, IsOptional, MaxLength } from 'class-validator';
import { PageDto } from '../infra/requests/page.dto.ts';
import { IsFilledText, IsText } from '../infra/requests/text.ts';
import { pageOf } from '../infra/responses/page-of.ts';

export class ListSavedViewsQueryDto extends PageDto {
  /** Only those of this page. */
  @IsOptional()
  @IsIn(SAVED_VIEW_PAGES)
  page?: SavedViewPage;
}

export class CreateSavedViewDto {
  @IsIn(SAVED_VIEW_PAGES)
  page!: SavedViewPage;

  /** Unique among the caller's views of the page, and among the shared ones. @example Failed since yesterday */
  @IsFilledText()
  @MaxLength(SAVED_VIEW_LIMITS.nameChars)
  name!: string;

  /** The filters, as in the address of the page. Periods such as `since=24h` stay relative. @example since=24h&status=FAILED */
  @IsText()
  @MaxLength(SAVED_VIEW_LIMITS.queryChars)
  query!: string;

  /** Whether everybody who may open the page sees it; only for admins. Default: false. */
  @IsOptional()
  @IsBoolean()
  shared?: boolean;
}

export class UpdateSavedViewDto {
  @IsOptional()
  @IsFilledText()
  @MaxLength(SAVED_VIEW_LIMITS.nameChars)
  name?: string;

  @IsOptional()
  @IsText()
  @MaxLength(SAVED_VIEW_LIMITS.queryChars)
  query?: string;

  /** Only the person who made the view can stop sharing it. */
  @IsOptional()
  @IsBoolean()
  shared?: boolean;
}

export class SavedViewDto {
  id!: string;
  spaceId!: string;
  /** Who made it. */
  ownerUserId!: string;
  page!: SavedViewPage;
  name!: string;
  /** Sorted by name, without fields that are empty. */
  query!: string;
  /** Whether everybody who may open the page sees it. Otherwise only its owner does. */
  shared!: boolean;
  createdAt!: string;
  updatedAt!: string;
}

export class SavedViewPageDto extends pageOf(SavedViewDto) {}
