/** Returns the time zone of the browser. */
export const findTimezone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
