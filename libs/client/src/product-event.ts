import { PRODUCT_EVENT } from '@platform/contracts';
import type { Frame, ProductEvent } from '@platform/contracts';

/** Returns the product event in a frame, or null for other methods and for events that this version does not know. */
export function toProductEvent(frame: Frame): ProductEvent | null {
  if (frame.method !== 'custom:platform') return null;
  const { event: wire, ...fields } = frame.params.data as { event: string };
  return isKnown(wire) ? ({ event: PRODUCT_EVENT[wire], ...fields } as ProductEvent) : null;
}

function isKnown(wire: string): wire is keyof typeof PRODUCT_EVENT {
  return Object.hasOwn(PRODUCT_EVENT, wire);
}
