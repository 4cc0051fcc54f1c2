// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface MintingPool {
    function mint(address sender, address recipient, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external;
    function token0() external view returns (address);
    function token1() external view returns (address);
}

interface PaidToken {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// Says that everybody has the same NFTs, all of one range of one pool of Algebra's first pools.
contract FakePositions {
    address public factory;
    uint256 public totalSupply;
    address private token0;
    address private token1;
    int24 private lower;
    int24 private upper;
    uint128 private liquidity;
    uint128 private owed;
    bool private refuses;
    bool private burns;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    constructor(address named) {
        factory = named;
    }

    /// Liquidity of its own, from what it has of both tokens.
    function fund(MintingPool pool, int24 from, int24 to, uint128 amount) external {
        (token0, token1, lower, upper) = (pool.token0(), pool.token1(), from, to);
        pool.mint(address(this), address(this), from, to, amount, "");
    }

    function algebraMintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        PaidToken(token0).transfer(msg.sender, amount0);
        PaidToken(token1).transfer(msg.sender, amount1);
    }

    function claim(MintingPool pool, int24 from, int24 to, uint128 each, uint128 owedEach, uint256 count) external {
        (token0, token1, lower, upper) = (pool.token0(), pool.token1(), from, to);
        (liquidity, owed, totalSupply) = (each, owedEach, count);
    }

    function send(address to) external {
        emit Transfer(address(0), to, 0);
    }

    function turn(bool refusing, bool burning) external {
        (refuses, burns) = (refusing, burning);
    }

    function balanceOf(address) external view returns (uint256) {
        return totalSupply;
    }

    function tokenOfOwnerByIndex(address, uint256 index) external pure returns (uint256) {
        return index;
    }

    function tokenByIndex(uint256 index) external pure returns (uint256) {
        return index;
    }

    function positions(uint256)
        external
        view
        returns (uint96, address, address, address, int24, int24, uint128, uint256, uint256, uint128, uint128)
    {
        require(!refuses, "refused");
        while (burns) {}
        return (0, address(0), token0, token1, lower, upper, liquidity, 0, 0, owed, owed);
    }
}
