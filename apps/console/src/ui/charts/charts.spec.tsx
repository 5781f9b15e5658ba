import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { createLogAxis, DURATION_STEPS } from './axis.ts';
import { DotPlot, type Dot } from './dot-plot.tsx';
import { describeDots, timesOf } from './dots.ts';
import { Histogram } from './histogram.tsx';
import { ResultBars } from './result-bars.tsx';
import { formatTimes } from './times.ts';

afterEach(cleanup);

function show(element: React.ReactElement) {
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: ['/'] });
  return { ...render(<RouterProvider router={router} />), path: () => router.state.location.pathname };
}

describe('a histogram', () => {
  const bars = [0, 4, 8, 1].map((count) => ({
    parts: [
      { tone: 'done' as const, count },
      { tone: 'bad' as const, count: count === 8 ? 2 : 0 },
    ],
  }));

  function setUp() {
    const onBrush = jest.fn();
    const { container } = show(
      <Histogram
        bars={bars}
        summary="15 events"
        brushLabel="Time"
        helpId="help"
        describe={(first, last) => `bars ${first} to ${last}`}
        onBrush={onBrush}
      />,
    );
    const brush = screen.getByRole('slider', { name: 'Time' });
    // 100 pixels wide, so that a bar takes 25.
    brush.getBoundingClientRect = () => new DOMRect(0, 0, 100, 50);
    Object.assign(brush, { setPointerCapture: () => undefined });
    // The window of these tests has no pointer events with a position.
    const point = (type: string, clientX = 0, button = 0) =>
      fireEvent(brush, new MouseEvent(`pointer${type}`, { bubbles: true, clientX, button }));
    return { brush, onBrush, container, point };
  }

  it('stacks what each bar has, and keeps the smallest part visible', () => {
    const { container } = setUp();
    expect(screen.getByRole('img', { name: '15 events' })).toBeDefined();
    const parts = [...container.querySelectorAll('.chart-part')].map((part) =>
      ['class', 'x', 'y', 'height'].map((name) => part.getAttribute(name)),
    );
    expect(parts).toEqual([
      ['chart-part tone-done', '27%', '60%', '40%'],
      ['chart-part tone-done', '52%', '20%', '80%'],
      ['chart-part tone-bad', '52%', '0%', '20%'],
      ['chart-part tone-done', '77%', '90%', '10%'],
    ]);
  });

  it('is brushed by dragging in either direction, and not by a drag that is cancelled', () => {
    const { onBrush, point } = setUp();
    point('move', 30);
    expect(screen.getByText('bars 1 to 1')).toBeDefined();
    point('down', 80);
    point('move', 30);
    expect(screen.getByText('bars 1 to 3')).toBeDefined();
    point('up', 30);
    expect(onBrush.mock.calls).toEqual([[1, 3]]);
    point('down', 900);
    point('cancel');
    point('up', 10);
    point('down', 10, 2);
    point('up', 10);
    expect(onBrush).toHaveBeenCalledTimes(1);
  });

  it('keeps what is chosen from while it is brushed, whatever arrives meanwhile', () => {
    const histogram = (name: string, count: number, onBrush: () => void) => (
      <Histogram
        bars={bars.slice(0, count)}
        summary={name}
        brushLabel="Time"
        helpId="help"
        describe={() => name}
        onBrush={onBrush}
      />
    );
    const [before, after] = [jest.fn(), jest.fn()];
    const { rerender } = render(histogram('before', 4, before));
    const brush = screen.getByRole('slider', { name: 'Time' });
    fireEvent.keyDown(brush, { key: 'End' });
    rerender(histogram('after', 2, after));
    expect(brush.getAttribute('aria-valuetext')).toBe('before');
    fireEvent.keyDown(brush, { key: 'Enter' });
    expect([before.mock.calls, after.mock.calls]).toEqual([[[3, 3]], []]);
    expect(screen.getByRole('img', { name: 'after' })).toBeDefined();
  });

  it('is brushed with the keyboard', async () => {
    const { brush, onBrush } = setUp();
    await userEvent.tab();
    expect(document.activeElement).toBe(brush);
    expect(brush.getAttribute('aria-valuetext')).toBe('15 events');
    await userEvent.keyboard('{ArrowLeft}');
    expect(brush.getAttribute('aria-valuetext')).toBe('bars 2 to 2');
    await userEvent.keyboard('{Shift>}{ArrowLeft}{ArrowLeft}{ArrowLeft}{/Shift}');
    expect(brush.getAttribute('aria-valuetext')).toBe('bars 0 to 2');
    await userEvent.keyboard('{Enter}');
    await userEvent.keyboard('{Home}{Escape}{Enter}');
    expect(onBrush.mock.calls).toEqual([[0, 2]]);
  });
});

describe('a plot of points', () => {
  const dots: Dot[] = [
    { key: 'a', at: 1_000, value: 10, tone: 'good', to: '/a', title: 'First', details: 'Succeeded' },
    { key: 'b', at: 1_500, value: 1_000, tone: 'bad', to: '/b', title: 'Second', details: 'Failed' },
    { key: 'c', at: 2_000, value: null, tone: 'active', title: 'Third', details: 'Running' },
  ];
  const axis = createLogAxis([10, 1_000], DURATION_STEPS);
  const plot = <DotPlot dots={dots} axis={axis} summary="3 runs" helpId="help" />;

  it('places them by time and value, and what has no value at the bottom', () => {
    const { container } = show(plot);
    const placed = [...container.querySelectorAll('[data-point] > svg')].map((mark) => [
      mark.getAttribute('x'),
      mark.getAttribute('y'),
    ]);
    expect(placed).toEqual([
      ['0%', '100%'],
      ['50%', '0%'],
      ['100%', '100%'],
    ]);
    expect(container.querySelectorAll('.hollow')).toHaveLength(1);
    const failed = screen.getByRole('link', { name: 'Failed · Second' });
    expect([failed.getAttribute('href'), failed.querySelectorAll('path')]).toEqual([
      '/b',
      expect.objectContaining({ length: 1 }),
    ]);
    expect(screen.getAllByRole('link')).toHaveLength(2);
  });

  it('has one stop for Tab, shows what has the focus, and leads there', async () => {
    const { path } = show(plot);
    await userEvent.tab();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Running · Third');
    await userEvent.keyboard('{ArrowLeft}');
    expect(screen.getByText('Second')).toBeDefined();
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
    expect(screen.getByText('First')).toBeDefined();
    fireEvent.click(document.activeElement ?? document);
    await waitFor(() => expect(path()).toBe('/a'));
    await userEvent.tab();
    expect(document.activeElement).toBe(document.body);
  });

  it('is centered if it has one point', () => {
    const { container } = show(<DotPlot dots={dots.slice(0, 1)} axis={axis} summary="1 run" helpId="help" />);
    expect(container.querySelector('[data-point] > svg')?.getAttribute('x')).toBe('50%');
  });

  it('is described by its counts', () => {
    const legend = [
      { tone: 'good' as const, label: 'Succeeded' },
      { tone: 'bad' as const, label: 'Failed' },
    ];
    const text = describeDots('3 runs', dots, legend, 'en');
    expect(text).toMatch(/^3 runs · .* – .* · Succeeded 1 · Failed 1$/);
    expect(timesOf(dots.slice(0, 1), 'en')).toHaveLength(1);
  });
});

describe('the results of a row', () => {
  it('are links whose height tells how long they took', () => {
    const bars = [0, 9, null].map((value, i) => ({
      key: String(i),
      value,
      tone: 'good' as const,
      to: `/${i}`,
      label: `Run ${i}`,
    }));
    const { container } = show(<ResultBars bars={bars} label="Last runs" />);
    expect(screen.getByRole('group', { name: 'Last runs' })).toBeDefined();
    expect(screen.getByRole('link', { name: 'Run 1' }).getAttribute('href')).toBe('/1');
    const heights = [...container.querySelectorAll('.chart-part')].map((bar) => bar.getAttribute('height'));
    expect(heights).toEqual(['4', '26', '4']);
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('tabindex'))).toEqual([
      '-1',
      '-1',
      '0',
    ]);
  });
});

describe('the times of an axis', () => {
  const now = new Date(2026, 2, 5, 12, 0).getTime();
  const minutes = (count: number) => now - count * 60_000;
  const day = 24 * 60;

  it.each([
    [minutes(2), now, '12:00:00 PM'],
    [minutes(60), now, '12:00 PM'],
    [minutes(20 * 60), now, 'Mar 5, 12:00 PM'],
    [minutes(6 * day), now, 'Mar 5'],
  ])('from %d to %d are %j', (from, to, text) => {
    expect(formatTimes(from, to, 'en', now)(to)).toBe(text);
  });
});
