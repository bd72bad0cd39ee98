"""Finds what stands beyond its container or the window, such as a button that is cut off."""

from playwright.sync_api import Page

#: Fractions of pixels, and hairlines, are not seen.
_SLACK_PX = 1

# Out of flow are marks that stand over an edge on purpose, and the splitter between two panes.
_OUTSIDE = """(slack) => {
  const isBox = (element) => !/^(inline|contents|none)$/.test(getComputedStyle(element).display);
  const boxOf = (element) => {
    let parent = element.parentElement;
    while (parent && !isBox(parent)) parent = parent.parentElement;
    return parent;
  };
  const isOut = (inner, outer) =>
    inner.left < outer.left - slack || inner.right > outer.right + slack;
  const said = (element) => {
    const name = element.id ? `#${element.id}` : `.${[...element.classList].join('.')}`;
    return `${element.localName}${name} ${element.textContent.trim().slice(0, 30)}`.trim();
  };
  const isMeant = (element) => element.matches('[role=separator], .unseen, .skip, svg *, option')
    || element.closest('.unseen, [inert], .skeleton') !== null
    || /^(absolute|fixed)$/.test(getComputedStyle(element).position);
  const out = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility() || isMeant(element) || !isBox(element)) continue;
    const inner = element.getBoundingClientRect();
    const parent = boxOf(element);
    if (!inner.width || !inner.height || !parent) continue;
    const clips = getComputedStyle(parent).overflowX !== 'visible';
    // A parent that scrolls holds what is wider; one that cuts may cut texts, but no controls.
    const isCut = clips && element.matches('button, input, select, textarea, a')
      && parent.scrollWidth <= parent.clientWidth + slack;
    if (clips && !isCut) continue;
    if (isOut(inner, parent.getBoundingClientRect())) out.push(said(element));
    else if (isOut(inner, { left: 0, right: innerWidth })) out.push(`window: ${said(element)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) out.push('the page scrolls sideways');
  return out;
}"""


def outside(page: Page) -> list[str]:
    """Returns a description of each visible element that ends left or right beyond its container,
    or beyond the window."""
    return page.evaluate(_OUTSIDE, _SLACK_PX)
