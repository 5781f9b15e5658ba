/** Returns the value of a `datetime-local` field for an ISO time, in the time zone of the browser. */
export function toLocalInput(iso: string | undefined): string {
  const time = iso === undefined ? NaN : Date.parse(iso);
  if (Number.isNaN(time)) return '';
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the ISO time of a `datetime-local` field; undefined if it is empty. */
export function fromLocalInput(value: string): string | undefined {
  const time = new Date(value).getTime();
  return value === '' || Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Returns the ISO time if it is valid. URLs are foreign data. */
export function validTime(iso: string | null): string | undefined {
  return iso === null || Number.isNaN(Date.parse(iso)) ? undefined : new Date(iso).toISOString();
}
