// The files that `make install` and the package install, and the version number.

import Foundation
import TestSupport
import Testing

@Suite struct `An installation` {
    private let root: URL

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "installed-\(UUID().uuidString.prefix(8))")
    }

    private func install(_ words: [String: String] = [:]) throws {
        // Whoever runs the tests may have some of them set.
        let unset = ["PREFIX": "", "UNITDIR": "", "ZSHDIR": ""]
        let environment = ["DESTDIR": root.path, "PROGRAMS": productsDirectory.path].merging(unset) { $1 }.merging(words) { $1 }
        let result = try Program(packageRoot.appending(path: "scripts/install").path, [], environment: environment)
        try #require(result.status == 0, "\(result.errors)")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `An installation puts each file at its standard path, below DESTDIR`() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try install()
        let unit = try text("usr/local/lib/systemd/system/gamed.service")
        #expect(
            unit.contains("\nExecStart=/usr/local/bin/gamed") && !unit.contains("@bindir@") && !unit.contains("=/usr/bin/gamed")
        )
        for path in [
            "bin/gamed", "bin/gamectl", "share/man/man8/gamed.8", "share/man/man7/gamed-commands.7",
            "share/man/man5/gamed-flow.5",
            "share/man/man1/gamectl.1", "share/bash-completion/completions/gamectl", "share/zsh/site-functions/_gamectl",
            "share/fish/vendor_completions.d/gamectl.fish", "lib/sysusers.d/gamed.conf", "lib/tmpfiles.d/gamed.conf",
            "share/gamed/examples/Flows/quiz.json5", "share/gamed/flow.schema.json", "share/gamed/monitoring/alerts.yml",
            "share/gamed/monitoring/dashboard.json", "share/doc/gamed/README.md", "share/doc/gamed/docs/monitoring/README.md",
        ] {
            let size = try FileManager.default.attributesOfItem(atPath: root.path + "/usr/local/" + path)[.size] as? Int
            #expect(size ?? 0 > 0, "\(path)")
        }
    }

    @Test func `An installation contains every document that help, manuals and documents refer to`() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try install()
        let documents = root.appending(path: "usr/local/share/doc/gamed")
        var named: Set<String> = []
        for words in [["--help"], ["--manual", "gamed"], ["--manual", "gamed-commands"], ["--manual", "gamed-flow"]] {
            let text = try Program(productsDirectory.appending(path: "gamed").path, words).output.replacing("\\-", with: "-")
            named.formUnion(text.matches(of: /docs\/[A-Za-z\/-]+\.[a-z]+/).map { String($0.output) })
        }
        #expect(named.count >= 4, "\(named)")
        for name in named {
            #expect(FileManager.default.fileExists(atPath: documents.appending(path: name).path), "\(name)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: documents.path + "/docs").filter { $0.hasSuffix(".md") }
        for file in files {
            let text = try text("usr/local/share/doc/gamed/docs/\(file)")
            for link in text.matches(of: /\]\(((?:monitoring\/|decisions\/|pictures\/)?[A-Za-z-]+\.(?:md|yml|json|svg))/) {
                let path = documents.path + "/docs/" + link.output.1
                #expect(FileManager.default.fileExists(atPath: path), "\(file) leads to \(link.output.1)")
            }
        }
    }

    @Test func `An installation has a valid configuration file and never overwrites it`() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try install()
        let gamed = productsDirectory.appending(path: "gamed").path
        let file = root.appending(path: "etc/gamed/gamed.json5")
        // The package creates the group, which this machine may lack.
        let installed = try text("etc/gamed/gamed.json5")
        #expect(installed.contains("\n  \"allow-group\": [\"gamed\"],\n"))
        try installed.replacing(#"["gamed"]"#, with: "[\"\(getegid())\"]").write(to: file, atomically: true, encoding: .utf8)
        let mistakes = try Program(
            gamed, ["--check", "--config", file.path, "--data", "none", "--socket", root.path + "/s"],
            environment: ["GAMED_HTTP": "none"])
        #expect(!mistakes.errors.contains("gamed.json5"), "\(mistakes.errors)")
        try "{ log: \"info\" }\n".write(to: file, atomically: true, encoding: .utf8)
        try install()
        #expect(try text("etc/gamed/gamed.json5") == "{ log: \"info\" }\n")
        let sample = try text("usr/local/share/gamed/gamed.json5")
        #expect(sample.contains("// durability: \"everysec\","))
        #expect(sample.contains("// expire: {},  // { FLOW: \"DURATION[:drop|restart]\" }"))
    }

    @Test func `An installation without built programs fails with an error message and writes nothing`() throws {
        let result = try Program(
            packageRoot.appending(path: "scripts/install").path, [],
            environment: ["DESTDIR": root.path, "PROGRAMS": "/nonexistent"])
        #expect(result.status == 1 && result.errors.contains("There is no /nonexistent/gamed: run 'make programs' first"))
        #expect(!FileManager.default.fileExists(atPath: root.path))
    }
}

@Suite struct `The version` {
    private func said(_ script: String) throws -> String {
        try Program(packageRoot.appending(path: "scripts/\(script)").path, [], environment: ["SOURCE_DATE_EPOCH": "0"]).output
    }

    @Test func `The version is the same in the program, the package and the changelog`() throws {
        let version = try said("version").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(version.split(separator: ".").count == 3)
        let gamed = productsDirectory.appending(path: "gamed").path
        #expect(try Program(gamed, ["--version"]).output == "gamed \(version)\n")
        #expect(try said("debian-changelog").hasPrefix("gamed (\(version)) "))
        // The changelog has this version as released or as the next one.
        let changes = try String(contentsOf: packageRoot.appending(path: "CHANGELOG.md"), encoding: .utf8)
        #expect(
            changes.contains("\n## [\(version)] - 20") || changes.contains("\n## [Unreleased]\n\nThis will be \(version).\n"))
    }
}
