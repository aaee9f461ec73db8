// Renders the pages of the test site with Playwright: node render.mjs FOLDER CHROMIUM SITE PAGES TABS reused|fresh
// Prints one JSON object per page: its path and its HTML.
import { createRequire } from 'node:module';

const [folder, program, site, pages, tabs, contexts] = process.argv.slice(2);
const { chromium } = createRequire(`${folder}/`)('playwright-core');

const browser = await chromium.launch({ executablePath: program, headless: true, chromiumSandbox: true });
const unwanted = new Set(['image', 'media', 'font']);
const open = async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.route('**/*', (route) => (
    unwanted.has(route.request().resourceType()) ? route.abort('blockedbyclient') : route.continue()));
  return page;
};

let next = 0;
const work = async () => {
  let page = contexts === 'reused' ? await open() : null;
  while (next < Number(pages)) {
    const number = next++;
    const path = number === 0 ? '/' : `/p/${number}`;
    if (contexts === 'fresh') page = await open();
    await page.goto(new URL(path, site).href, { waitUntil: 'networkidle' });
    const html = await page.content();
    process.stdout.write(`${JSON.stringify({ path, html })}\n`);
    if (contexts === 'fresh') await page.context().close();
  }
};
await Promise.all(Array.from({ length: Number(tabs) }, work));
await browser.close();
