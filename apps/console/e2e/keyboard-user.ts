import type { Locator, Page } from 'playwright-core';
import { until } from './browser.ts';

/** A user who has no mouse. */
export class KeyboardUser {
  /** What had the focus although nothing showed it. */
  readonly withoutRing: string[] = [];

  constructor(private readonly page: Page) {}

  /** Opens a page with "g" and its key. They count only if they follow each other soon. */
  async open(key: string, name: string): Promise<void> {
    const heading = this.page.getByRole('heading', { level: 1, name, exact: true });
    await until(async () => {
      await this.page.keyboard.press('g');
      await this.page.keyboard.press(key);
      return heading.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Moves the focus forward until the element has it. A trap or an element out of reach is an error. */
  async tabTo(element: Locator): Promise<void> {
    await element.waitFor();
    for (let presses = 0; presses < 120; presses++) {
      if (await element.evaluate((one) => one === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
      const problem = await this.page.evaluate(describeMissingRing);
      if (problem !== null && !this.withoutRing.includes(problem)) this.withoutRing.push(problem);
    }
    const focused = await this.page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
    throw new Error(`Tab does not reach ${String(element)}; the focus is on ${focused}`);
  }

  /** Chooses an option of the list that is open. */
  async choose(name: string): Promise<void> {
    const active = this.page.locator('.ant-select-item-option-active');
    await active.waitFor();
    for (let presses = 0; (await active.getAttribute('title')) !== name; presses++) {
      if (presses === 20) throw new Error(`No arrow leads to ${name}`);
      await this.page.keyboard.press('ArrowDown');
    }
    await this.page.keyboard.press('Enter');
  }

  async activate(element: Locator): Promise<void> {
    await this.tabTo(element);
    await this.page.keyboard.press('Enter');
  }
}

/** Returns the element that has the focus if neither it nor what surrounds it shows that. Runs in the page. */
function describeMissingRing(): string | null {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  const shows = (element: Element | null): boolean => {
    if (element === null) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  };
  const frame = focused.closest(
    '[class*="affix-wrapper"], .ant-select, .ant-segmented-item, .ant-radio-wrapper, .ant-checkbox-wrapper, .ant-input-number, .code-editor, .composer',
  );
  return shows(focused) || shows(frame) ? null : focused.outerHTML.slice(0, 160);
}
