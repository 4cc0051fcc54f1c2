// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Vat {
    function ilks(bytes32 ilk)
        external
        view
        returns (uint256 Art, uint256 rate, uint256 spot, uint256 line, uint256 dust);
    function urns(bytes32 ilk, address urn) external view returns (uint256 ink, uint256 art);
    function gem(bytes32 ilk, address urn) external view returns (uint256);
    function dai(address urn) external view returns (uint256);
}

interface Jug {
    function drip(bytes32 ilk) external returns (uint256 rate);
}

uint256 constant RAY = 1e27;

/// What is owed at the Vat, of `rad`, which has 45 digits, in base units of the token: rounded up.
function owedOf(uint256 rad) pure returns (uint256) {
    return (rad + RAY - 1) / RAY;
}

/// Worth of the collateral, as far as it may be lent against, ÷ debt: the Vat itself liquidates below 1. 18 decimals.
function healthOf(Vat vat, bytes32 ilk, uint256 ink, uint256 rad) view returns (uint256) {
    if (rad == 0) return type(uint256).max;
    (,, uint256 spot,,) = vat.ilks(ilk);
    return (ink * spot * 1e18) / rad;
}
