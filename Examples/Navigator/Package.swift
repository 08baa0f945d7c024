// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Navigator",
    dependencies: [.package(name: "gamed", path: "../.."), .package(path: "../Support")],
    targets: [
        .executableTarget(name: "navigator", dependencies: [.product(name: "GamedClient", package: "gamed")]),
        .testTarget(
            name: "navigatorTests",
            dependencies: [
                "navigator", .product(name: "Programs", package: "Support"), .product(name: "GamedClient", package: "gamed"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
