import { useEffect } from 'react';
import type { Location } from 'react-router';

/** Something that was entered and is not saved. */
interface UnsavedInput {
  /** The form of a page is lost with the page; a drawer also when its part of the URL changes, and `?name` when that part does. */
  place: 'page' | 'drawer' | `?${string}`;
  /** Asked when it matters. */
  exists: () => boolean;
}

type Address = Pick<Location, 'pathname' | 'search'>;

/** React Router has only one active blocker: `LeaveGuard` asks for all inputs that are shown. */
const inputs = new Set<UnsavedInput>();

/** Makes leaving ask first while `exists` returns true. */
export function useUnsavedInput(place: UnsavedInput['place'], exists: () => boolean): void {
  // After each render, so that the latest function is asked.
  useEffect(() => {
    const input: UnsavedInput = { place, exists };
    inputs.add(input);
    return () => {
      inputs.delete(input);
    };
  });
}

export function hasUnsavedInput(): boolean {
  return [...inputs].some(({ exists }) => exists());
}

/** Whether a navigation would lose something that was entered. */
export function isInputLost(from: Address, to: Address): boolean {
  const isPageLeft = from.pathname !== to.pathname;
  const lost = isPageLeft ? [] : listLostParams(from.search, to.search);
  const isLeft = (place: UnsavedInput['place']) =>
    isPageLeft || (place === 'drawer' ? lost.length > 0 : lost.some((name) => place === `?${name}`));
  return [...inputs].some(({ place, exists }) => isLeft(place) && exists());
}

/** What was entered is moot, such as for what was just deleted: leaving its page asks nothing. */
export function forgetInput(): void {
  inputs.clear();
}

/** Leaves the page of another person, of which nothing may stay: the browser asks nothing, whatever was entered. */
export function abandonPage(): void {
  forgetInput();
  window.location.assign('/');
}

/** A parameter that is added opens something else, and leaves a drawer as it is. */
function listLostParams(from: string, to: string): string[] {
  const next = new URLSearchParams(to);
  return [...new URLSearchParams(from)]
    .filter(([name, value]) => next.get(name) !== value)
    .map(([name]) => name);
}
