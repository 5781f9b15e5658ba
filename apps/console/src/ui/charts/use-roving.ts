import { useRef, type KeyboardEvent, type RefObject } from 'react';

const STEPS: Record<string, (i: number, count: number) => number> = {
  ArrowLeft: (i) => i - 1,
  ArrowUp: (i) => i - 1,
  ArrowRight: (i) => i + 1,
  ArrowDown: (i) => i + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Arrow keys move the focus among the children with `data-point`, of which only one is in the order of Tab. */
export function useRoving<T extends Element>(): {
  ref: RefObject<T | null>;
  onKeyDown: (event: KeyboardEvent) => void;
} {
  const ref = useRef<T>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const points = [...(ref.current?.querySelectorAll<SVGElement>('[data-point]') ?? [])];
    const current = points.findIndex((point) => point === document.activeElement);
    if (current === -1) return;
    event.preventDefault();
    points[Math.min(points.length - 1, Math.max(0, step(current, points.length)))]?.focus();
  };
  return { ref, onKeyDown };
}
