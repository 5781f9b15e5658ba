import { describe, expect, it } from '@jest/globals';
import type { Envelope, EnvelopeStatus, Page } from '@platform/contracts';
import type { InfiniteData } from '@tanstack/react-query';
import { mergeNewest } from './merge-newest.ts';

type EnvelopePages = InfiniteData<Page<Envelope>, string | null>;

const envelope = (id: string, status: EnvelopeStatus = 'DISPATCHED') =>
  ({ id, status, generation: 0, matchedCount: 0 }) as Envelope;
const page = (items: Envelope[], nextCursor: string | null = null): Page<Envelope> => ({ items, nextCursor });
const pages = (...all: Page<Envelope>[]): EnvelopePages => ({ pages: all, pageParams: all.map(() => null) });
const ids = (merged: EnvelopePages) => merged.pages.map(({ items }) => items.map(({ id }) => id));

describe('mergeNewest', () => {
  it('adds new envelopes before the known ones and keeps the older pages and their cursors', () => {
    const known = pages(page([envelope('5'), envelope('4')], 'c1'), page([envelope('3')], 'c2'));
    const merged = mergeNewest(known, page([envelope('7'), envelope('6'), envelope('5')], 'other'));
    expect(ids(merged)).toEqual([['7', '6', '5', '4'], ['3']]);
    expect(merged.pages.map(({ nextCursor }) => nextCursor)).toEqual(['c1', 'c2']);
  });

  it('updates the status of a known envelope, on any page', () => {
    const known = pages(page([envelope('5', 'PENDING')], 'c1'), page([envelope('4', 'PENDING')]));
    const merged = mergeNewest(known, page([envelope('5'), envelope('4')]));
    expect(merged.pages.map(({ items }) => items[0]?.status)).toEqual(['DISPATCHED', 'DISPATCHED']);
  });

  it('returns the same list if nothing has changed', () => {
    const known = pages(page([envelope('5'), envelope('4')]));
    expect(mergeNewest(known, page([envelope('5')], 'c'))).toBe(known);
  });

  it('starts again if envelopes are missing between the two', () => {
    const known = pages(page([envelope('5')], 'c1'));
    const newest = page([envelope('9'), envelope('8')], 'c9');
    expect(mergeNewest(known, newest)).toEqual({ pages: [newest], pageParams: [null] });
  });

  it('removes what is gone, as far as the newest reach', () => {
    const known = pages(page([envelope('5'), envelope('4')], 'c1'), page([envelope('3'), envelope('2')]));
    expect(ids(mergeNewest(known, page([envelope('5'), envelope('3')], 'c')))).toEqual([['5'], ['3', '2']]);
    expect(ids(mergeNewest(known, page([envelope('9')])))).toEqual([['9'], []]);
    expect(ids(mergeNewest(known, page([])))).toEqual([[], []]);
  });

  it('keeps what a search has found on later pages if it finds nothing among the newest', () => {
    const known = pages(page([], 'c1'), page([envelope('3')], 'c2'));
    expect(mergeNewest(known, page([], 'c9'))).toBe(known);
    expect(ids(mergeNewest(known, page([envelope('4'), envelope('3')], 'c9')))).toEqual([['4'], ['3']]);
    const searched = pages(page([], 'c1'), page([], 'c2'));
    expect(mergeNewest(searched, page([], 'c9'))).toBe(searched);
    expect(ids(mergeNewest(searched, page([envelope('9')], 'c9')))).toEqual([['9']]);
  });

  it('starts with the newest if nothing is known', () => {
    const newest = page([envelope('1')]);
    expect(mergeNewest(undefined, newest).pages).toEqual([newest]);
    expect(mergeNewest(pages(page([])), newest).pages).toEqual([newest]);
  });
});
