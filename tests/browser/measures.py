"""Measures of what a page shows: the styles of its texts, and the room of a row's words."""

from playwright.sync_api import Page

#: Size and weight of all texts. 13/400 is for previews and running text beside controls.
STYLES = ("20/600", "14/600", "14/400", "13/500", "13/400", "12/500", "12/400")
#: Fields of phones: smaller letters make the browser zoom.
FIELD = "16/400"
#: Visible texts in another style, with the element that has it; code keeps a font of its own.
_OTHER = """([styles, field]) => {
  const found = new Set();
  const look = (element, text) => {
    const { fontSize, fontWeight, fontFamily } = getComputedStyle(element);
    if (fontFamily.includes('monospace')) return;
    const style = `${parseFloat(fontSize)}/${fontWeight}`;
    const isField = element.matches('input, select, textarea, .query-mirror, .query-mirror *');
    if (styles.includes(style) || (isField && style === field)) return;
    found.add(`${style} .${element.className || element.localName}: ${text.trim().slice(0, 30)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at = texts.nextNode(); at; at = texts.nextNode()) {
    const element = at.parentElement;
    if (!at.data.trim() || element.closest('script, style, template, svg, option, .unseen')) {
      continue;
    }
    if (element.checkVisibility({ checkVisibilityCSS: true })) look(element, at.data);
  }
  for (const element of document.querySelectorAll('input, textarea')) {
    if (element.checkVisibility()) look(element, element.value || element.placeholder || '');
  }
  return [...found];
}"""
#: Rows in view whose words have less room than so many pixels, with the list's width and that room:
#: in the list as wide as it is, and in the narrowest one.
_NARROW = """(least) => {
  const { style } = document.documentElement;
  const asItIs = style.getPropertyValue('--list-px');
  const rows = [...document.querySelectorAll('.list .row:not(.skeleton, .outside)')];
  const found = [asItIs, '360px'].flatMap((px) => {
    style.setProperty('--list-px', px);
    return rows.map((row) => [
      row.id, row.offsetWidth, row.querySelector('.row-preview').getBoundingClientRect().width,
    ]).filter(([, , room]) => room && room < least);
  });
  style.setProperty('--list-px', asItIs);
  return found;
}"""
WORDS_PX = 200


def other_styles(page: Page) -> list[str]:
    found: list[str] = page.evaluate(_OTHER, [STYLES, FIELD])
    return found


def narrow_rows(page: Page) -> list[list[object]]:
    found: list[list[object]] = page.evaluate(_NARROW, WORDS_PX)
    return found
