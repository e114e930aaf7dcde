"""browser.py - Debian's headless Chromium for the tests of pages.

A test is a function whose name begins with test_; it gets a Browser. run(tests) prints TAP.
"""

import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
except ImportError:
    sys.exit("the Python module selenium is missing; install the package python3-selenium")

WAIT = 30  # seconds; the machine may be busy


def wait_for(condition, what):
    """The first true value of condition()."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {WAIT} s")


class Browser:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.downloads = self.folder / "downloads"
        self.downloads.mkdir()
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", "--window-size=1280,900", "--force-prefers-reduced-motion"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not chromium or not driver:
            sys.exit("chromium or chromedriver is missing; install the packages chromium and chromium-driver")
        options.binary_location = chromium
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.execute_cdp_cmd("Page.setDownloadBehavior",
                                    {"behavior": "allow", "downloadPath": str(self.downloads)})

    def close(self):
        self.driver.quit()

    # Pages

    def open(self, path, width=1280, height=900, dark=False):
        """Opens a file, and waits until its first chart is drawn. Old messages are forgotten."""
        self.resize(width, height)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.messages()
        self.driver.get_log("performance")
        self.driver.get(Path(path).resolve().as_uri())
        wait_for(lambda: self.script("return document.documentElement.dataset.ready === '1'"), "the page is ready")

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def messages(self):
        """Messages of the console, with violations of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that were asked for since open()."""
        found = []
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                found.append(event["params"]["request"]["url"])
        return found

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    # Elements

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def settle(self):
        """Waits for two frames: changes are drawn in the next one."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")

    def find(self, selector, inside=None):
        return (inside or self.driver).find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector, inside=None):
        return (inside or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def click(self, target):
        node = self.find(target) if isinstance(target, str) else target
        self.script("arguments[0].scrollIntoView({block: 'center'})", node)
        node.click()
        self.settle()

    def choose(self, selector, value):
        """Chooses a value of a select, as a user does: with its event."""
        self.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))",
                    self.find(selector), value)
        assert self.find(selector).get_property("value") == value, f"{selector} has no {value}"
        self.settle()

    def actions(self):
        return ActionChains(self.driver, duration=20)

    def drag(self, node, start, end):
        """Drags on a node between two points, as shares of its size from its middle."""
        self.script("arguments[0].scrollIntoView({block: 'center'})", node)
        width, height = node.size["width"], node.size["height"]
        (self.actions().move_to_element_with_offset(node, int(start[0] * width), int(start[1] * height))
         .click_and_hold().pause(0.05)
         .move_by_offset(int((end[0] - start[0]) * width), int((end[1] - start[1]) * height)).pause(0.05)
         .release().perform())
        self.settle()

    def hover(self, node, share):
        """Moves the pointer over a node; share: of its width, from its middle."""
        self.script("arguments[0].scrollIntoView({block: 'center'})", node)
        self.actions().move_to_element_with_offset(node, int(share * node.size["width"]), 0).perform()
        self.settle()

    # Downloads

    def download(self, target):
        """Clicks, and gives the path of the file that is saved. Older files are removed."""
        for path in self.downloads.iterdir():
            path.unlink()

        def finished():
            return [path for path in self.downloads.iterdir()
                    if path.suffix in (".svg", ".png", ".csv", ".txt", ".npy") and path.stat().st_size > 0]

        self.click(target)
        return wait_for(finished, "a file is saved")[0]


def run(tests, prepare):
    """Runs the tests in one browser; prepare(folder) gives what each test gets next to it."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="muster-browser-") as folder:
        pages = prepare(Path(folder))
        browser = Browser(folder)
        try:
            for number, test in enumerate(tests, 1):
                try:
                    test(browser, pages)
                    print(f"ok {number} - {test.__name__}", flush=True)
                except Exception:  # the other tests still run
                    failed += 1
                    print(f"not ok {number} - {test.__name__}", flush=True)
                    print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
        finally:
            browser.close()
    print(f"1..{len(tests)}")
    sys.exit(1 if failed else 0)


def screenshot_folder():
    """Where to save screenshots; None: nowhere."""
    name = os.environ.get("MUSTER_SCREENSHOTS")
    if name:
        Path(name).mkdir(parents=True, exist_ok=True)
    return Path(name) if name else None
