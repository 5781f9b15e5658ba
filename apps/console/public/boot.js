// Before the first paint: the colors, and whether the frame of the pages is to be expected.
{
  let scheme = null;
  try {
    scheme = localStorage.getItem('platform.theme');
    if (localStorage.getItem('platform.signed-in') !== null) document.documentElement.dataset.signedIn = '';
  } catch {
    // A browser that refuses storage shows the defaults.
  }
  if (scheme !== 'light' && scheme !== 'dark')
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = scheme;
}
