// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// The vaults that its owner vouches for.
contract EulerPerspective {
    address public immutable owner;
    mapping(address => bool) public isVerified;

    event PerspectiveVerified(address indexed vault);

    constructor(address owner_) {
        owner = owner_;
    }

    function perspectiveVerify(address vault, bool) external {
        require(msg.sender == owner);
        isVerified[vault] = true;
        emit PerspectiveVerified(vault);
    }
}
