// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IFeed {
    function latestAnswer() external view returns (int256);
}

/// Prices Compound v2 markets by feeds in US dollars, as Compound's own oracle: 36 - decimals fractional digits.
contract MarketOracle {
    bool public constant isPriceOracle = true;

    struct Source {
        IFeed feed;
        uint8 underlyingDecimals;
    }

    mapping(address => Source) public sources;

    function setSource(address market, IFeed feed, uint8 underlyingDecimals) external {
        sources[market] = Source(feed, underlyingDecimals);
    }

    function getUnderlyingPrice(address market) external view returns (uint256) {
        Source memory source = sources[market];
        return uint256(source.feed.latestAnswer()) * 10 ** (28 - source.underlyingDecimals);
    }
}
