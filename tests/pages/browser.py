"""Chromium without a window, driven over the DevTools protocol with nothing but Python's standard library: opens a page,
clicks and types as a person does, and notes what the console says, what is asked of the network, and text that overlaps."""
import base64
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import time

try:
    import axe_core_python
    with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js")) as file:
        AXE = file.read()
except ImportError:
    AXE = None


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Socket:
    """A WebSocket, as far as DevTools needs it: text, from one side masked."""

    def __init__(self, url):
        host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), 30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.data += self.socket.recv(4096)
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else struct.pack(
            "!BBH", 0x81, 0xFE, size) if size < 65536 else struct.pack("!BBQ", 0x81, 0xFF, size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def take(self, size, timeout):
        while len(self.data) < size:
            if not select.select([self.socket], [], [], timeout)[0]:
                raise TimeoutError("the browser does not answer")
            more = self.socket.recv(1 << 16)
            if not more:
                raise ConnectionError("the browser is gone")
            self.data += more
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def receive(self, timeout):
        text = b""
        while True:
            first, size = struct.unpack("!BB", self.take(2, timeout))
            if size == 126:
                size, = struct.unpack("!H", self.take(2, timeout))
            elif size == 127:
                size, = struct.unpack("!Q", self.take(8, timeout))
            data = self.take(size, timeout)
            if first & 15 in (1, 0):
                text += data
                if first & 128:
                    return text.decode()

    def waits(self):
        return bool(self.data) or bool(select.select([self.socket], [], [], 0)[0])


# Roles that say nothing without a name.
NAMED = ("button", "link", "textbox", "searchbox", "combobox", "checkbox", "option", "tab", "tabpanel", "treeitem", "img", "image", "listbox", "tree",
         "application", "region", "Iframe")


class Browser:
    def __init__(self, *flags):
        self.folder = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", *(flags or ["--disable-gpu"]), "--remote-debugging-port=0",
             "--disable-background-networking", "--no-first-run", "--hide-scrollbars", f"--user-data-dir={self.folder}",
             "--window-size=1280,900", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = os.path.join(self.folder, "DevToolsActivePort")
        deadline = time.time() + 60
        while not (os.path.exists(port_file) and open(port_file).read().count("\n") == 1):
            if time.time() > deadline or self.process.poll() is not None:
                raise TimeoutError("the browser does not start")
            time.sleep(0.05)
        port, path = open(port_file).read().split("\n")
        self.socket = Socket(f"ws://127.0.0.1:{port}{path}")
        self.number, self.session = 0, None
        self.console, self.requests, self.contexts = [], [], {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, TimeoutError):
            self.process.kill()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def event(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.console.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.executionContextCreated":
            context = params["context"]
            self.contexts[context["auxData"]["frameId"]] = context["id"]
        elif method == "Page.javascriptDialogOpening":
            self.console.append("a dialog: " + params["message"])

    def call(self, method, timeout=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.receive(timeout))
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.event(answer)

    def run(self, expression, frame=None, timeout=60):
        """The value of an expression, as JSON, in the page or in its frame of that name; a promise is awaited."""
        where = {}
        if frame:
            frames = self.call("Page.getFrameTree")["frameTree"]["childFrames"]
            where = {"contextId": self.contexts[next(f["frame"]["id"] for f in frames if f["frame"].get("name") == frame)]}
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, timeout=timeout, **where)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def open(self, path, dark=False, width=1280, height=900):
        self.console.clear()
        self.requests.clear()
        self.url = "file://" + os.path.realpath(path)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme",
                                                           "value": "dark" if dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=self.url)
        self.run("new Promise((done) => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))")
        if self.run("location.href") != self.url:
            time.sleep(0.2)
        self.settle()

    def run_anew(self, expression):
        """As run; where a navigation discards the page meanwhile, the value in the new page."""
        for attempt in range(10):
            try:
                return self.run(expression)
            except RuntimeError as error:
                lost = ("navigated or closed", "context was destroyed", "Cannot find context")
                if attempt == 9 or not any(text in str(error) for text in lost):
                    raise
                time.sleep(0.1)

    def settle(self):
        self.run_anew("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def click(self, selector, index=0, count=1):
        """Where the element's middle is, with a real mouse: what lies above it gets the click."""
        place = self.run(f"""(() => {{
          const e = document.querySelectorAll({json.dumps(selector)})[{index}];
          if (!e) return null;
          e.scrollIntoView({{block: "nearest", inline: "nearest"}});
          const r = e.getBoundingClientRect();
          return [r.left + r.width / 2, r.top + r.height / 2];
        }})()""")
        if place is None:
            raise AssertionError(f"there is no {selector}[{index}]")
        for number in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=number)
        self.settle()

    def key(self, key, times=1):
        codes = {"Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40}
        for _ in range(times):
            extra = {"text": "\r"} if key == "Enter" else {} if len(key) > 1 else {"text": key}
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0])), **extra)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0])))
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def picture(self, path, timeout=60):
        data = self.call("Page.captureScreenshot", timeout=timeout, format=str(path).rpartition(".")[2].replace("jpg", "jpeg"))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def faults(self):
        """What no page may do: complain, ask for anything but itself, let texts lie on one another, or have
        what a screen reader has no words for."""
        found = [f"the console: {line}" for line in self.console]
        found += [f"a request: {url}" for url in self.requests if url != self.url and not url.startswith("data:")]
        found += self.run(OVERLAPS)
        found += self.nameless()
        return found

    def axe(self):
        """What axe-core finds, where Python has it; frames are pages of their own."""
        if AXE is None:
            return []
        self.run(AXE + "; 0")
        rules = self.run("axe.run({ iframes: false }).then((r) => r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].target.join(' '), v.help]))", timeout=600)
        return [f"axe: {name}, {count} times, as {where}: {text}" for name, count, where, text in rules]

    def on_paper(self):
        """What is wrong with the page where it is printed: it is dark, has what can be pressed in its head, or is cut."""
        self.call("Emulation.setEmulatedMedia", media="print")
        self.settle()
        found = self.run(PAPER) + [fault for fault in self.axe() if "contrast" in fault]
        self.call("Emulation.setEmulatedMedia", media="")
        self.settle()
        return found

    def nameless(self):
        """What a screen reader is told of the page: what can be reached or worked has a role and a name, and there is one
        main part."""
        found, mains = [], 0
        for node in self.call("Accessibility.getFullAXTree")["nodes"]:
            role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "").strip()
            if node.get("ignored"):
                continue
            mains += role == "main"
            focusable = any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", []))
            if (focusable or role in NAMED) and not name:
                found.append(f"nameless: a {role}")
            if focusable and role in ("generic", "none", "GenericContainer"):
                found.append(f"without a role: {name[:60]}")
        if mains != 1:
            found.append(f"{mains} main parts")
        return sorted(set(found))


PAPER = r"""(() => {
  const found = [];
  if (getComputedStyle(document.body).display !== "block") found.push("it is laid out as a window");
  if (getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)") found.push("the paper is " + getComputedStyle(document.body).backgroundColor);
  for (const e of document.querySelectorAll("header button, header input, header select")) if (e.checkVisibility()) found.push("there is a " + e.tagName + " in the head");
  for (const e of document.querySelectorAll("main, section, main pre, main div")) {
    if (e.closest("svg, #flame, .hidden") || e.id === "stage" || !e.checkVisibility()) continue;
    if (getComputedStyle(e).overflowY !== "visible" && e.scrollHeight > e.clientHeight + 2) found.push(`${e.tagName} ${e.id} ${e.className} is cut: ${e.scrollHeight} of ${e.clientHeight}`);
  }
  return found;
})()"""

# Texts that are seen and lie on one another by more than a rounding. What is clipped, or lies in what scrolls, is taken
# as far as it is seen.
OVERLAPS = r"""(() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walker.nextNode());) {
    if (!n.textContent.trim()) continue;
    const e = n.parentElement;
    if (e.closest("script,style,title,option,.hidden") || !e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const range = document.createRange(); range.selectNodeContents(n);
    for (let r of range.getClientRects()) {
      let box = { l: r.left, t: r.top, r: r.right, b: r.bottom, e, text: n.textContent.trim().slice(0, 40) };
      for (let a = e; a; a = a.parentElement) {
        const style = getComputedStyle(a);
        if (style.overflow === "visible" && style.overflowX === "visible") continue;
        const c = a.getBoundingClientRect();
        box = { ...box, l: Math.max(box.l, c.left), t: Math.max(box.t, c.top), r: Math.min(box.r, c.right), b: Math.min(box.b, c.bottom) };
      }
      if (box.r - box.l > 3 && box.b - box.t > 3 && box.b > 0 && box.t < innerHeight && box.r > 0 && box.l < innerWidth) boxes.push(box);
    }
  }
  boxes.sort((a, b) => a.t - b.t);
  const found = [];
  for (let i = 0; i < boxes.length && found.length < 5; ++i) {
    for (let j = i + 1; j < boxes.length && boxes[j].t < boxes[i].b; ++j) {
      const a = boxes[i], b = boxes[j];
      if (a.e.contains(b.e) || b.e.contains(a.e)) continue;
      const w = Math.min(a.r, b.r) - Math.max(a.l, b.l), h = Math.min(a.b, b.b) - Math.max(a.t, b.t);
      // What is opaque and above hides what is below, as lists that open do.
      if (w > 3 && h > 4) {
        const top = document.elementFromPoint((Math.max(a.l, b.l) + Math.min(a.r, b.r)) / 2, (Math.max(a.t, b.t) + Math.min(a.b, b.b)) / 2);
        const floats = (e) => { for (let p = e; p; p = p.parentElement) if (/absolute|fixed|sticky/.test(getComputedStyle(p).position) && getComputedStyle(p).backgroundColor !== "rgba(0, 0, 0, 0)") return p; return null; };
        const above = top && floats(top);
        if (above && (above.contains(a.e) !== above.contains(b.e))) continue;
        found.push(`"${a.text}" and "${b.text}" lie on one another, ${w.toFixed(0)} by ${h.toFixed(0)} pixels`);
      }
    }
  }
  return found;
})()"""
