// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/proxy.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace chartwright::kube {
namespace {

struct ProxyCase {
  ProxyVariables variables;
  std::string server;
  std::string want;
};

std::string chosen(const ProxyCase& c) {
  const auto proxy = proxy_for(c.server, c.variables);
  return proxy.ok() ? *proxy : "error: " + proxy.error().message();
}

struct Exemption {
  std::string host;
  bool uses_proxy;
};

}  // namespace

// The cases are facts of golang.org/x/net v0.60.0, http/httpproxy/proxy_test.go TestProxyForURL.
TEST_CASE("The variables give the proxy that they give a Go program") {
  const std::string plain = "http://example.com";
  const std::string cgi =
      "error: refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy";
  const std::vector<ProxyCase> cases = {
      {{"127.0.0.1:8080", "", ""}, plain, "http://127.0.0.1:8080"},
      {{"cache.corp.example.com:1234", "", ""}, plain, "http://cache.corp.example.com:1234"},
      {{"cache.corp.example.com", "", ""}, plain, "http://cache.corp.example.com"},
      {{"localhost", "", ""}, plain, "http://localhost"},
      {{"https://cache.corp.example.com", "", ""}, plain, "https://cache.corp.example.com"},
      {{"http://127.0.0.1:8080", "", ""}, plain, "http://127.0.0.1:8080"},
      {{"https://127.0.0.1:8080", "", ""}, plain, "https://127.0.0.1:8080"},
      {{"socks5://127.0.0.1", "", ""}, plain, "socks5://127.0.0.1"},
      {{"foo://host", "", ""}, plain, "foo://host"},
      {{"http.proxy.tld", "secure.proxy.tld", ""}, "http://insecure.tld/", "http://http.proxy.tld"},
      {{"http.proxy.tld", "secure.proxy.tld", ""},
       "https://secure.tld/",
       "http://secure.proxy.tld"},
      {{"http.proxy.tld", "https://secure.proxy.tld", ""},
       "https://secure.tld/",
       "https://secure.proxy.tld"},
      {{"http.proxy.tld", "", ""}, "https://secure.tld/", ""},
      {{"http://10.1.2.3:8080", "", "", true}, plain, cgi},
      {{"", "https://secure.proxy.tld", "", true},
       "https://secure.tld/",
       "https://secure.proxy.tld"},
      {{}, plain, ""},
      {{"proxy", "", "example.com"}, "http://example.com/", ""},
      {{"proxy", "", ".example.com"}, "http://example.com/", "http://proxy"},
      {{"proxy", "", "ample.com"}, "http://example.com/", "http://proxy"},
      {{"proxy", "", "example.com"}, "http://foo.example.com/", ""},
      {{"proxy", "", ".foo.com"}, "http://example.com/", "http://proxy"},
      {{"proxy", "", "example.com"}, "http://[1000::%25.example.com]:123", "http://proxy"},
      {{"proxy", "", ":1"}, "http://example.com:80", "http://proxy"},
      {{"proxy", "", ".EXAMPLE.com, other"}, "http://WWW.example.COM:80", ""},
      // The others were asked of that package.
      {{"%zz", "", ""}, plain, ""},
      {{"user:p%40ss@proxy:3128", "", ""}, plain, "http://user:p%40ss@proxy:3128"},
      {{"proxy", "", ""}, "http://LOCALHOST", "http://proxy"},
      {{"proxy", "", "10.0.0.0/30"}, "http://[::ffff:10.0.0.1]:80", ""},
      {{"proxy", "", "::ffff:10.0.0.0/126"}, "http://10.0.0.1:80", ""},
      {{"proxy", "", "10.0.0.0/033"}, "http://10.0.0.1:80", "http://proxy"},
      {{"proxy", "", "1.2.3.4:"}, "http://1.2.3.4:80", ""},
      {{"proxy", "", "a.b:"}, "http://a.b:80", ""},
      {{"proxy", "", "[a]:80"}, "http://a", ""},
      {{"proxy", "", "[::2]"}, "http://[::2]:80", "http://proxy"},
      {{"proxy", "", "::2"}, "http://[::2]:80", ""},
      {{"proxy", "", "fe80::1%eth0"}, "http://[fe80::1%25eth0]:80", "http://proxy"},
      {{"proxy", "", "fe80::1"}, "http://[fe80::1%25eth0]:80", ""},
      {{"proxy", "", "*."}, "http://x.", ""},
      {{"proxy", "", "."}, "http://x", "http://proxy"},
  };
  for (const ProxyCase& each : cases) {
    INFO(each.variables.http_proxy << ", " << each.variables.https_proxy << ", "
                                   << each.variables.no_proxy << ": " << each.server);
    CHECK(chosen(each) == each.want);
  }
}

// As TestUseProxy there.
TEST_CASE("The hosts that NO_PROXY names, and this machine, are reached without a proxy") {
  const std::string no_proxy =
      "foobar.com, .barbaz.net, *.wildcard.io, 192.168.1.1, 192.168.1.2:81, 192.168.1.3:80, "
      "10.0.0.0/30, 2001:db8::52:0:1, [2001:db8::52:0:2]:443, [2001:db8::52:0:3]:80, "
      "2002:db8:a::45/64";
  const std::vector<Exemption> cases = {
      {"localhost", false},
      {"127.0.0.1", false},
      {"127.0.0.2", false},
      {"[::1]", false},
      {"[::ffff:127.0.0.1]", false},
      {"[::2]", true},
      {"192.168.1.1", false},
      {"192.168.1.2", true},
      {"192.168.1.3", false},
      {"192.168.1.4", true},
      {"10.0.0.2", false},
      {"10.0.0.4", true},
      {"[2001:db8::52:0:1]", false},
      {"[2001:db8::52:0:2]", true},
      {"[2001:db8::52:0:3]", false},
      {"[2002:db8:a::123]", false},
      {"[fe80::424b:c8be:1643:a1b6]", true},
      {"barbaz.net", true},
      {"www.barbaz.net", false},
      {"foobar.com", false},
      {"www.foobar.com", false},
      {"foofoobar.com", true},
      {"baz.com", true},
      {"localhost.net", true},
      {"local.localhost", true},
      {"barbarbaz.net", true},
      {"wildcard.io", true},
      {"nested.wildcard.io", false},
      {"awildcard.io", true},
  };
  for (const Exemption& each : cases) {
    INFO(each.host);
    const std::string server = "http://" + each.host + ":80";
    CHECK(chosen({{"proxy", "", no_proxy}, server, ""}) == (each.uses_proxy ? "http://proxy" : ""));
    CHECK(chosen({{"proxy", "", "*"}, server, ""}).empty());
    CHECK(chosen({{"proxy", "", "a,*,b"}, server, ""}).empty());
  }
}

TEST_CASE("A port in NO_PROXY is compared with the one that the scheme has by default") {
  CHECK(chosen({{"", "proxy", "a.b:443"}, "https://a.b", ""}).empty());
  CHECK(chosen({{"", "proxy", "a.b:443"}, "https://a.b:6443", ""}) == "http://proxy");
  CHECK(chosen({{"", "proxy", "a.b:6443"}, "https://a.b:6443/prefix", ""}).empty());
}

TEST_CASE("The proxy of a kubeconfig is one that client-go takes") {
  for (const char* good : {"http://a", "https://a:1", "socks5://a", "http://u:p@a:1/x"}) {
    CHECK(check_proxy_url(good).ok());
  }
  CHECK(check_proxy_url("socks4://a").error().message() ==
        "unsupported scheme \"socks4\", must be http, https, or socks5");
  CHECK(check_proxy_url("proxy").error().message() ==
        "unsupported scheme \"\", must be http, https, or socks5");
  CHECK(check_proxy_url("10.0.0.1:3128").error().message() == "not a URL");
  CHECK(check_proxy_url("http://u:pass@a:b").error().message() == "not a URL");
}

TEST_CASE("Libcurl is told what Go assumes") {
  CHECK(proxy_for_curl("http://a") == "http://a:80");
  CHECK(proxy_for_curl("https://a") == "https://a:443");
  CHECK(proxy_for_curl("http://a:") == "http://a:80");
  CHECK(proxy_for_curl("http://a:3128/path?q#f") == "http://a:3128");
  CHECK(proxy_for_curl("http://u:p%40@[::1]") == "http://u:p%40@[::1]:80");
  CHECK(proxy_for_curl("socks5://a") == "socks5h://a:1080");
  CHECK(proxy_for_curl("socks5h://a:1") == "socks5h://a:1");
  CHECK(proxy_for_curl("foo://u:pass@a") == "foo://a");
  CHECK(proxy_for_curl("").empty());
}

}  // namespace chartwright::kube
